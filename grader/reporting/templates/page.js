"use strict";
// The page is whole without this. It makes the controls, and keeps what they are set to behind the
// "#" of the address, which works for a page in a folder as well.
(() => {
const one = (what, within = document) => within.querySelector(what);
const all = (what, within = document) => Array.from(within.querySelectorAll(what));
const part = (what) => one(what, one("#tools").content).cloneNode(true);
const root = document.documentElement;
let settings;

const read = () => {
  settings = new URLSearchParams(location.hash.includes("=") ? location.hash.slice(1) : "");
};
read();
const keep = (name, value) => {
  if (value) settings.set(name, value);
  else settings.delete(name);
  try {
    history.replaceState(null, "", "#" + settings);
  } catch {
    // Not for files.
  }
};

const stored = (name, value) => {
  try {
    if (value) localStorage.setItem(name, value);
    return localStorage.getItem(name);
  } catch {
    return null;
  }
};

// Another language, for who asks for it: the same page waits in a template.
const others = all("template.other");
const languages = [root.lang, ...others.map(({ lang }) => lang)];
const asked = settings.get("in") || stored("language");
const other = others.find(({ lang }) => lang === asked);
if (other) {
  root.lang = asked;
  all("body > :not(script, .other)").forEach((each) => each.remove());
  document.body.prepend(other.content.cloneNode(true));
}
if (typeof putTools === "function") putTools(root.lang);
const makeLanguages = (tools) => {
  languages.filter((language) => language !== root.lang).forEach((language) => {
    const button = document.createElement("button");
    Object.assign(button, { type: "button", lang: language });
    button.textContent = new Intl.DisplayNames([language], { type: "language" }).of(language);
    button.onclick = () => {
      stored("language", language);
      keep("in", language);
      location.reload();
    };
    one(".theme", tools).before(button);
  });
};

const news = part("p.unseen");
all("[data-each] > li").forEach((item) => (item.dataset.status = item.parentNode.dataset.each));
const cases = all("[data-status]");
const out = "data-out";
// What is told of hidden cases stands for several.
const counted = (asked) => (sum, { dataset: { status, met = +(status === "good"), unmet = Math.max(0, 1 - met) } }) =>
  sum + (asked && asked !== "good" ? 0 : +met) + (asked && asked !== status ? 0 : +unmet);

// Themes: the system's, until somebody asks for the other one.
const makeTools = () => {
  const tools = part(".tools");
  const theme = one(".theme", tools);
  const system = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
  const show = () => theme.setAttribute("aria-pressed", isDark());
  const before = stored("theme");
  if (before === "dark" || before === "light") root.dataset.theme = before;
  theme.onclick = () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    stored("theme", root.dataset.theme);
    show();
  };
  system.onchange = show;
  show();
  one(".help", tools).onclick = help;
  makeLanguages(tools);
  makeToCode(one(".to-code", tools));
  makeWalk(all(".walk", tools));
  // On the page of a student they stay in sight.
  one(one(".result") ? "body" : "header").prepend(tools);
};

// To the code, and back to where one was.
const makeToCode = (link) => {
  const code = one("#code");
  if (!code) return link.remove();
  link.href = "#code";
  const words = [link.textContent, link.dataset.back];
  let left = null;
  link.onclick = (event) => {
    event.preventDefault();
    if (left) {
      left.at.focus({ preventScroll: true });
      scrollTo(0, left.y);
      left = null;
    } else {
      left = { at: document.activeElement, y: scrollY };
      go(code);
    }
    link.textContent = words[left ? 1 : 0];
  };
};

// From student to student, for who comes from the overview: it knows the order, a page knows nobody.
const makeWalk = (links) => {
  const from = settings.get("from");
  const of = location.pathname.split("/").slice(-2).join("/");
  links.forEach((link) => {
    if (from === null) return link.remove();
    const asked = new URLSearchParams(from);
    asked.set("of", of);
    if (link.dataset.step !== "0") asked.set("step", link.dataset.step);
    link.href = "../index.html#" + asked;
  });
};

const dialog = part("dialog");
const single = one("input", dialog);
const help = () => {
  single.checked = settings.get("keys") !== "off";
  dialog.showModal();
  one(".close", dialog).focus();
};
const makeDialog = () => {
  const lacking = { cases: !cases.length, code: !one(".to-code"), walk: !one(".walk") };
  Object.keys(lacking).filter((what) => lacking[what])
    .forEach((what) => all(`.${what}-only`, dialog).forEach((row) => row.remove()));
  single.onchange = () => keep("keys", single.checked ? "" : "off");
  one(".close", dialog).onclick = () => dialog.close();
  document.body.append(dialog, news);
};

// Copying, also where a page may not use the clipboard.
const copy = async (text, button) => {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    button.after(area);
    area.select();
    document.execCommand("copy");
    area.remove();
    button.focus();
  }
  const word = button.textContent;
  const { done } = button.dataset;
  news.textContent = done;
  if (word === done) return;
  button.textContent = done;
  setTimeout(() => {
    button.textContent = word;
    news.textContent = "";
  }, 2000);
};
const makeActs = (place, id, python) => {
  const acts = part(".acts");
  const [program, link] = all("button", acts);
  program.onclick = () => copy(python, program);
  link.onclick = () => copy(location.href.split("#")[0] + "#" + id, link);
  if (!python) program.remove();
  place.append(acts);
};

const makePermalink = (item) => {
  const link = part(item.matches(".rule") ? ".to-rule" : ".permalink");
  link.href = "#" + item.id;
  (one(".points", item) || one(".row", item) || item).append(link);
};

// A box that looks for text: `apply` gets it, and returns how many of how many are shown.
const makeFind = (bar, apply) => {
  const input = one("input", bar);
  const status = one("[role=status]", bar);
  const run = () => {
    const [shown, count] = apply(input.value.trim().toLowerCase());
    status.textContent = status.dataset.words.replace("%1", shown).replace("%2", count);
  };
  input.oninput = run;
  input.onkeydown = (event) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    if (input.value) {
      input.value = "";
      run();
    } else {
      input.blur();
    }
  };
  return [input, run];
};

const makeFilter = () => {
  const bar = part(".filter");
  const groups = all("details").filter((group) => one("[data-status]", group));
  const folds = new Map();
  const texts = new Map(cases.map((item) => {
    const title = one("h3", item.closest("details:has(> summary > h3)"));
    return [item, (title.textContent + "\n" + item.textContent).toLowerCase()];
  }));
  const chips = all("[data-show]", bar).filter((chip) => {
    const status = chip.dataset.show;
    const many = cases.reduce(counted(status), 0);
    const count = Object.assign(document.createElement("span"), { className: "count" });
    count.textContent = many;
    chip.append(" ", count);
    if (!many) chip.remove();
    chip.onclick = () => {
      keep("show", status);
      run();
    };
    return many;
  });
  const left = (within) => one(`[data-status]:not([${out}])`, within);
  const [input, run] = makeFind(bar, (text) => {
    // A status that no case has any more filters nothing.
    const status = chips.find((chip) => chip.dataset.show === settings.get("show"))?.dataset.show;
    const isOn = status || text;
    if (text !== (settings.get("find") || "")) keep("find", text);
    if (isOn && !folds.size) groups.forEach((group) => folds.set(group, group.open));
    chips.forEach((chip) => chip.setAttribute("aria-pressed", chip.dataset.show === (status || "")));
    const shown = cases.filter((item) => {
      const fits = counted(status)(0, item) && texts.get(item).includes(text);
      item.toggleAttribute(out, !fits);
      return fits;
    });
    groups.forEach((group) => {
      group.toggleAttribute(out, !left(group));
      const idle = one(`[data-status=idle]:not([${out}])`, group);
      all(".skip", group).forEach((skip) => skip.toggleAttribute(out, !idle));
      if (isOn) group.open = true;
      else if (folds.size) group.open = folds.get(group);
    });
    if (!isOn) folds.clear();
    return [shown.reduce(counted(status), 0), cases.reduce(counted(), 0)];
  });
  const restore = () => {
    input.value = settings.get("find") || "";
    run();
  };
  one("#groups").after(bar);
  return restore;
};

const go = (target) => {
  for (let up = target; up; up = up.parentElement) if (up.matches("details")) up.open = true;
  target.tabIndex = -1;
  target.focus({ preventScroll: true });
  target.scrollIntoView();
};
const failure = (isNext) => {
  const list = all(".full:not(.case), .case[id][data-status=bad], .rule.bad").filter((item) => !item.closest(`[${out}]`));
  const here = document.activeElement.closest("[data-status]") || document.activeElement;
  const side = isNext ? Node.DOCUMENT_POSITION_FOLLOWING : Node.DOCUMENT_POSITION_PRECEDING;
  const ahead = list.filter((item) => item !== here && here.compareDocumentPosition(item) & side);
  const target = isNext ? ahead[0] : ahead.at(-1);
  if (target) go(target);
};

makeTools();
makeDialog();
let restore = cases.length ? makeFilter() : () => {};
{% block own %}{% endblock %}
all(".case[id]:not(.rule), [data-each] > li[id], .example, .sheet .rule").forEach(makePermalink);
all(".full, .sheet .rule").forEach((item) => makeActs(item, item.id, item.dataset.python));

const walkBy = (step) => {
  const link = one(`.walk[data-step="${step}"]`);
  return link && (() => link.click());
};
const arrive = () => {
  const target = document.getElementById(location.hash.slice(1));
  if (!target) read();
  else if (target.closest(`[${out}]`)) ["show", "find"].forEach((name) => settings.delete(name));
  restore();
  if (target) go(target);
};
arrive();
addEventListener("hashchange", arrive);

addEventListener("keydown", (event) => {
  const isTyping = event.target.closest("input, textarea, select");
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping || dialog.open) return;
  const act = {
    j: () => failure(true),
    k: () => failure(false),
    c: one(".to-code") && (() => one(".to-code").click()),
    n: walkBy(1),
    p: walkBy(-1),
    o: walkBy(0),
    "/": () => one(".filter input")?.focus(),
    "?": help,
  }[event.key];
  if (!act || settings.get("keys") === "off") return;
  event.preventDefault();
  act();
});
})();
