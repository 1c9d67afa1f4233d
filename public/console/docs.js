// The page /docs: a button below each example copies it. Browsers have a clipboard on https and on this machine alone.

for (const example of "clipboard" in navigator ? document.querySelectorAll("[data-copy]") : []) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "button copy";
  button.textContent = "Copy";
  button.setAttribute("aria-label", example.getAttribute("data-copy") ?? "Copy");
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(example.textContent ?? "").then(
      () => {
        button.textContent = "Copied";
      },
      () => {
        button.textContent = "Copying was refused";
      },
    );
  });
  example.after(button);
}
