// Loads a branch of the tree when it is first unfolded.

document.addEventListener(
  "toggle",
  async (event) => {
    const branch = event.target;
    if (!(branch instanceof HTMLDetailsElement) || !branch.open) return;
    const address = branch.dataset.level;
    if (address === undefined) return;
    delete branch.dataset.level;
    const link = branch.querySelector(".open");
    link?.setAttribute("aria-busy", "true");
    try {
      const response = await fetch(address);
      if (!response.ok || response.redirected) throw new Error(String(response.status));
      const level = new DOMParser().parseFromString(await response.text(), "text/html").body.firstElementChild;
      if (level === null) throw new Error("empty answer");
      link?.replaceWith(level);
    } catch {
      // The link to the branch's own page stays.
      branch.dataset.level = address;
      link?.removeAttribute("aria-busy");
    }
  },
  true,
);
