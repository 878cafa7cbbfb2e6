// Keys, and a click on a line without a new page; all else of a desk works without this.

const help = document.getElementById("help");
const keys = document.getElementById("keys");
help.hidden = false;
help.addEventListener("click", () => keys.showModal());

const isTyping = (it) => it.matches("input, textarea, select") && it.type !== "hidden";

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || keys.open) return;
  if (isTyping(event.target)) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  const there = document.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
  if (there === null) return;
  event.preventDefault();
  there.closest("details")?.setAttribute("open", "");
  if (isTyping(there)) {
    there.focus();
    if (there.type === "search") there.select();
  }
  else there.click();
});

// What was typed is lost with the page, unless it is what is being sent.
let typedIn = null;
addEventListener("input", ({ target }) => {
  if (target.form?.method === "post") typedIn = target.form;
});
addEventListener("submit", ({ target }) => {
  if (target === typedIn) typedIn = null;
});
addEventListener("beforeunload", (event) => {
  if (typedIn !== null) event.preventDefault();
});

document.addEventListener("click", (event) => {
  const line = event.target.closest("a[data-line]");
  const form = document.getElementById("comment");
  if (line === null || form === null || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  form.elements.line.value = line.dataset.line;
  form.elements.comment.value = line.dataset.said ?? "";
  form.scrollIntoView({ block: "nearest" });
  form.elements.comment.focus();
});
