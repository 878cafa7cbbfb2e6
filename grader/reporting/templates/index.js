{% extends "page.js" %}
{% block own %}
// Tables: heads that sort, and one box for all tables of students, of which those without any go.
const order = new Intl.Collator(root.lang, { numeric: true }).compare;
const makeSort = (table, at) => {
  const heads = all("th[data-sort]", table);
  const bodies = all("tbody", table);
  const size = bodies[0].rows.length;
  const sort = (head, way) => {
    const rows = all("tbody tr", table).map((row) => {
      const cell = row.cells[head.cellIndex];
      return [cell.dataset.value ?? cell.textContent.trim(), row];
    });
    rows.sort(([a], [b]) => {
      if (!a || !b) return !a - !b;
      return way * (isNaN(a) || isNaN(b) ? order(a, b) : a - b);
    });
    heads.forEach((other) => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", way > 0 ? "ascending" : "descending");
    bodies.forEach((body) => body.append(...rows.splice(0, size).map(([, row]) => row)));
  };
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "sort";
    button.append(...head.childNodes);
    head.append(button);
    button.onclick = () => {
      const way = head.getAttribute("aria-sort") === "ascending" ? -1 : 1;
      sort(head, way);
      keep("sort", [at, column, way].join());
    };
  });
  return (column, way) => heads[column] && sort(heads[column], way);
};
const makeFindStudents = () => {
  const sorts = all("table").filter((table) => one("th[data-sort]", table)).map(makeSort);
  const tables = all("table").filter((table) => table.tHead && one("tbody th a", table));
  if (!tables.length) return restore;
  const bar = part(".filter");
  const rows = tables.flatMap((table) => all("tbody tr", table));
  one(".chips", bar).remove();
  const [input, run] = makeFind(bar, (text) => {
    if (text !== (settings.get("find") || "")) keep("find", text);
    const shown = rows.filter((row) => {
      const fits = one("th", row).textContent.toLowerCase().includes(text);
      row.toggleAttribute(out, !fits);
      return fits;
    });
    tables.forEach((table) => {
      table.closest("section").toggleAttribute(out, !one(`tbody tr:not([${out}])`, table));
    });
    return [shown.length, rows.length];
  });
  const first = tables[0].closest(tables.length > 1 ? "section" : ".scroll");
  (first || tables[0]).before(bar);
  bar.classList.toggle("stays", tables.length > 1);
  tables.forEach((table) => {
    const box = table.closest(".scroll");
    // What has the focus must not lie under heads that stick.
    if (box) box.style.scrollPadding = `${table.tHead.offsetHeight}px 0 0 ${one("tbody th", table).offsetWidth}px`;
  });
  const linkOf = (row) => one("th a", row);
  const addresses = new Set(rows.map((row) => linkOf(row).pathname));
  const lead = ({ target }) => {
    const link = target.closest("main a");
    if (link && addresses.has(link.pathname)) link.hash = new URLSearchParams({ from: settings });
  };
  ["click", "auxclick"].forEach((kind) => addEventListener(kind, lead, true));
  // A page that was opened from here asks for the next one in the order that is shown.
  const walk = (of, step) => {
    const here = rows.find((row) => linkOf(row).getAttribute("href").split("#")[0] === of);
    settings.delete("of");
    keep("step", "");
    if (!here) return;
    const shown = all(`tbody tr:not([${out}])`, here.closest("table"));
    const next = step && linkOf(shown[shown.indexOf(here) + step] || here);
    if (!next || next === linkOf(here)) return linkOf(here).focus();
    next.hash = new URLSearchParams({ from: settings });
    location.replace(next.href);
  };
  return () => {
    input.value = settings.get("find") || "";
    const [at, column, way] = (settings.get("sort") || "").split(",");
    sorts[+at]?.(column, +way);
    run();
    if (settings.has("of")) walk(settings.get("of"), +settings.get("step"));
  };
};
restore = makeFindStudents();

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
{% endblock %}
