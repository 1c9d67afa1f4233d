// Signs in by the link that `orbweaver serve` prints: `/sign-in#token=…`. A fragment goes to no server and into no log.

const token = new URLSearchParams(location.hash.slice(1)).get("token");
const input = document.querySelector("input#token");
if (token !== null && input instanceof HTMLInputElement) {
  // Neither the history nor the address that people copy keeps it.
  history.replaceState(null, "", location.pathname + location.search);
  input.value = token;
  input.form?.requestSubmit();
}
