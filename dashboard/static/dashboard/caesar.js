/* What the pages do beyond htmx: say what happened, tick all, answer by keyboard. Without it they work as forms. */
(function () {
  "use strict";

  const said = document.getElementById("said");
  const broken = document.getElementById("broken");

  function tell(words) {
    said.textContent = "";
    window.setTimeout(function () { said.textContent = words; }, 50);
  }

  function fail(words) {
    broken.textContent = words;
    broken.hidden = false;
    broken.scrollIntoView({ block: "nearest" });
  }

  document.addEventListener("said", function (event) { tell(event.detail.value); });
  document.addEventListener("htmx:responseError", function (event) {
    fail(event.detail.xhr.status === 503 ? broken.dataset.database : broken.dataset.failed);
  });
  document.addEventListener("htmx:sendError", function () { fail(broken.dataset.away); });
  document.addEventListener("htmx:beforeRequest", function () { broken.hidden = true; });

  function boxes(form) {
    return document.querySelectorAll('input[type=checkbox][form="' + form + '"]');
  }

  function showTickers() {
    document.querySelectorAll("[data-tick]").forEach(function (button) { button.hidden = false; });
  }

  document.addEventListener("click", function (event) {
    const button = event.target.closest("[data-tick]");
    if (!button) return;
    const all = Array.from(boxes(button.dataset.tick));
    const want = !all.every(function (box) { return box.checked; });
    all.forEach(function (box) { box.checked = want; });
  });

  function proposals() {
    return Array.from(document.querySelectorAll("[data-proposal]"));
  }

  function chosen() {
    return document.activeElement && document.activeElement.closest("[data-proposal]");
  }

  function step(by) {
    const all = proposals();
    const at = all.indexOf(chosen());
    const next = all[at < 0 ? 0 : Math.min(all.length - 1, Math.max(0, at + by))];
    if (next) {
      next.focus();
      next.scrollIntoView({ block: "nearest" });
    }
  }

  document.addEventListener("keydown", function (event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.target.closest("input:not([type=checkbox]), textarea, select") || !proposals().length) return;
    if (event.key === "j" || event.key === "k") {
      event.preventDefault();
      step(event.key === "j" ? 1 : -1);
      return;
    }
    const here = chosen();
    const button = here && ["a", "r", "e"].includes(event.key) && here.querySelector('[data-key="' + event.key + '"]');
    if (!button) return;
    event.preventDefault();
    button.click();
    if (event.key === "e") {
      const text = here.querySelector("details[open] textarea");
      if (text) text.focus();
    }
  });

  /* After an answer the next proposal is at hand. */
  document.addEventListener("htmx:afterSwap", function (event) {
    showTickers();
    const id = event.detail.target && event.detail.target.id;
    if (!id || !id.startsWith("proposal-")) return;
    const answered = document.getElementById(id);
    if (!answered || answered.hasAttribute("data-proposal")) return;
    const all = Array.from(document.querySelectorAll("[data-proposal], .answered"));
    const rest = all.slice(all.indexOf(answered) + 1).concat(all.slice(0, all.indexOf(answered)));
    const next = rest.find(function (each) { return each.hasAttribute("data-proposal"); });
    if (next) next.focus();
  });

  /* A page that watches the log looks again when it has grown. */
  const watch = document.getElementById("live");
  if (watch) {
    const source = new EventSource(watch.dataset.live);
    source.addEventListener("open", function () { watch.hidden = false; });
    source.addEventListener("error", function () { watch.hidden = true; });
    source.addEventListener("rows", function () {
      htmx.trigger(document.body, "rows");
    });
    window.addEventListener("pagehide", function () { source.close(); });
  }

  /* On a phone the list comes first, where nothing was chosen above it. */
  const choices = document.querySelector("details.choices");
  if (choices && window.matchMedia("(max-width: 46rem)").matches) {
    const names = Array.from(choices.querySelectorAll("select")).map(function (select) { return select.name; });
    const query = new URLSearchParams(window.location.search);
    choices.open = names.some(function (name) { return query.get(name); });
  }

  showTickers();
})();
