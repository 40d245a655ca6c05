// Runs before anything is painted: puts the remembered theme and side bars on <html>,
// and keeps the theme on <body> too, where Gradio would put the system's. A classic script
// on purpose: a module would run after the first paint.
(function () {
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");

  const stored = (key) => {
    try {
      return localStorage.getItem("qwenchat." + key);
    } catch {
      return null;
    }
  };

  const put = (node, dark) => {
    if (node && node.classList.contains("dark") !== dark) node.classList.toggle("dark", dark);
  };

  function applyTheme() {
    const theme = stored("theme");
    const dark = theme === "dark" || (theme !== "light" && system.matches);
    put(root, dark);
    put(document.body, dark);
    root.style.colorScheme = dark ? "dark" : "light";
    const bar = document.querySelector("meta[name=theme-color]");
    if (bar) bar.content = dark ? "#1a1a1c" : "#fbfbfa"; // as --qc-page in theme.css
  }

  const demo = root.dataset.demo !== undefined;
  root.dataset.sidebar = demo || stored("sidebar") === "closed" ? "closed" : "open";
  root.dataset.settings = demo ? "closed" : stored("settings") || (innerWidth >= 1200 ? "open" : "closed");
  document.title = "QwenChat";
  applyTheme();

  const keep = new MutationObserver(applyTheme);
  const wait = new MutationObserver(() => {
    if (!document.body) return;
    wait.disconnect();
    keep.observe(document.body, { attributes: true, attributeFilter: ["class"] });
    applyTheme();
  });
  wait.observe(root, { childList: true });
  system.addEventListener("change", applyTheme);
  addEventListener("storage", applyTheme);
  addEventListener("qwenchat-theme", applyTheme);
})();
