// Gradio 6.31 leaves the clock of its loading screen running after that screen is gone: a
// callback for every frame, for ever, which costs a tenth of a core where there is no GPU.
// The processor belongs to the model, so those callbacks are not scheduled. They are known
// by their source; should Gradio change it, nothing else is affected. A classic script,
// because Gradio takes requestAnimationFrame as it finds it when its own modules load.
(function () {
  const schedule = window.requestAnimationFrame;
  const isClock = (callback) => {
    const source = Function.prototype.toString.call(callback);
    return source.length < 200 && source.includes("performance.now()-") && source.includes("/1e3");
  };
  window.requestAnimationFrame = (callback) => (isClock(callback) ? 0 : schedule(callback));
})();
