{% include "page.js" %}
// Deciding: a form that makes lines for `grader mark --from`, and keeps nothing.
(() => {
"use strict";
const COLUMNS = ["student", "exercise", "case", "group", "rule", "points", "verdict", "penalty", "because", "comment"];
// A spreadsheet would calculate what begins so; `grader mark` takes the apostrophe away again.
const cell = (text) => `"${(/^[=+\-@\t]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;
const csv = (lines) =>
  [COLUMNS, ...lines.map((line) => COLUMNS.map((name) => line[name] || ""))]
    .map((row) => row.map(cell).join(",")).join("\r\n") + "\r\n";

const makeForm = (holder) => {
  const box = holder.content.cloneNode(true);
  const form = box.querySelector("form");
  const list = box.querySelector("ol");
  const save = box.querySelector(".save");
  const status = box.querySelector("[role=status]");
  const at = form.elements;
  const what = at.namedItem("what");
  for (const group of what.querySelectorAll("[data-choices]")) {
    for (const choice of group.dataset.choices.trimEnd().split("\n")) {
      const [id, max] = choice.split("\t");
      const worth = Number(max).toLocaleString(document.documentElement.lang);
      const option = new Option(`${id.slice(0, 80)} (${worth})`, id);
      Object.assign(option.dataset, { kind: group.dataset.kind, max });
      group.append(option);
    }
  }
  what.selectedIndex = 0;
  let lines = [];
  let isSaved = true;

  const kind = () => what.selectedOptions[0].dataset.kind;
  const most = () => Number(what.selectedOptions[0].dataset.max);
  const adapt = () => {
    const shows = {
      points: kind() === "case" || kind() === "group",
      verdict: kind() === "rule",
      penalty: kind() === "rule" && at.namedItem("verdict").value === "broken",
    };
    for (const [name, isShown] of Object.entries(shows)) at.namedItem(name).closest("label").hidden = !isShown;
    const points = at.namedItem("points");
    points.required = shows.points;
    const value = Number(points.value.replace(",", "."));
    points.setCustomValidity(shows.points && value > most() ? points.dataset.most.replace("%1", most()) : "");
  };
  const tell = () => {
    save.disabled = !lines.length;
    status.textContent = status.dataset.words.replace("%1", lines.length);
  };
  const lineOf = () => {
    const id = what.value;
    const line = { student: at.namedItem("student").value, exercise: holder.dataset.exercise };
    const said = at.namedItem("because").value.trim();
    if (kind() === "page") return { ...line, comment: said };
    line[kind()] = id;
    line.because = said;
    if (kind() !== "rule") return { ...line, points: at.namedItem("points").value.trim() };
    line.verdict = at.namedItem("verdict").value;
    if (line.verdict === "broken") line.penalty = at.namedItem("penalty").value.trim();
    return line;
  };
  const add = (line) => {
    const item = document.createElement("li");
    const remove = document.createElement("button");
    remove.type = "button";
    remove.textContent = list.dataset.remove;
    item.append(
      [line.student, line.case || line.group || line.rule, line.points || line.verdict, line.because || line.comment]
        .filter(Boolean).join(" · ") + " ",
      remove,
    );
    remove.onclick = () => {
      lines = lines.filter((each) => each !== line);
      item.remove();
      isSaved = false;
      tell();
      at.namedItem("student").focus();
    };
    lines.push(line);
    list.append(item);
    isSaved = false;
    tell();
  };
  form.onchange = form.oninput = adapt;
  form.onsubmit = (event) => {
    event.preventDefault();
    add(lineOf());
    at.namedItem("points").value = at.namedItem("penalty").value = at.namedItem("because").value = "";
    adapt();
    at.namedItem("student").focus();
  };
  save.onclick = () => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob(["\ufeff" + csv(lines)], { type: "text/csv" }));
    link.download = `marks-${holder.dataset.exercise}.csv`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
    isSaved = true;
  };
  addEventListener("beforeunload", (event) => {
    if (!isSaved && lines.length) event.preventDefault();
  });
  adapt();
  tell();
  holder.previousElementSibling.hidden = true;
  holder.after(box);
};
document.querySelectorAll("template.deciding").forEach(makeForm);

// The page lies in the folder of the run, which its commands name then.
const folder = decodeURIComponent(location.pathname).replace(/\/[^/]*$/, "").replace(/^\/(?=[a-z]:)/i, "");
if (location.protocol === "file:" && !/["$`\\]/.test(folder)) {
  const run = /[^\w@%+:,./-]/.test(folder) ? `"${folder}"` : folder;
  document.querySelectorAll("code > var").forEach((name) => name.replaceWith(run));
}
})();
