// The prompt: runs a failing session line by line with current results, then lines that are typed.

const TYPED_PROMPT = /^(>>> |\.\.\. ?)/; // before lines that are pasted from a page

class Prompt {
  // `ask` asks the judge; `handedIn` gives the files as they are now.
  constructor(words, ask, handedIn) {
    Object.assign(this, { words, ask, handedIn, sessions: [], lines: [], chosen: 0 });
    this.history = [];
    this.recalled = 0;
    this.isStale = false; // whether a later check gave new sessions
    this.wanted = null; // the case to show once it is known to fail
    this.open = []; // typed lines that have not run yet
    this.before = Promise.resolve(); // what is typed early waits until its session is there
    at("prompt").addEventListener("toggle", () => { if (at("prompt").open && this.isStale) this.begin(); });
    at("session").addEventListener("change", () => this.begin());
    at("anew").addEventListener("click", () => this.begin());
    at("typed").addEventListener("keydown", (event) => this.hear(event));
  }

  // Offer `sessions` to run; an open prompt starts again.
  offer(sessions) {
    const chosen = this.wanted ?? at("session").value;
    const options = sessions.map(({ id, code }) => new Option(`${id}: ${code}`, id, false, id === chosen));
    this.sessions = sessions;
    at("session").replaceChildren(...options);
    at("which-session").hidden = !sessions.length;
    at("prompt").hidden = false;
    this.isStale = true;
    if (this.wanted !== null) at("prompt").open = true;
    if (at("prompt").open) this.begin();
    this.wanted = null;
  }

  // Run the session of the case `id`, now or after the next check, if it fails then.
  show(id) {
    this.wanted = id;
    if (this.sessions.some((each) => each.id === id)) this.offer(this.sessions);
  }

  begin() {
    this.isStale = false;
    at("log").replaceChildren();
    this.lines = this.sessions.find(({ id }) => id === at("session").value)?.lines ?? [];
    this.chosen++;
    this.then(() => this.goThrough((answer) => this.tell(answer)));
  }

  // Call `act` after all earlier requests, unless another session is chosen by then.
  then(act) {
    const chosen = this.chosen;
    this.before = this.before.then(() => chosen === this.chosen && act());
  }

  // Run the lines from the start, and `tell` their results. A line that ends the executor is left out
  // the next time, so that one can type after the others.
  async goThrough(tell = () => {}) {
    this.setOpen([]);
    at("sign").textContent = "\u2026";
    at("typed").readOnly = false;
    const id = at("session").value;
    const answers = await this.asked({ ask: "prompt", files: this.handedIn(), id, lines: this.lines });
    if (!answers) return;
    answers.forEach(tell);
    const last = answers.length - 1;
    if (!answers[last].has_ended) {
      this.setOpen([]);
    } else if (last > 0) {
      this.lines = this.lines.slice(0, last - 1);
      await this.goThrough();
    } else {
      at("typed").readOnly = true; // even the import ends the executor
    }
  }

  // The answer of the judge, null if another session is chosen meanwhile.
  async asked(data) {
    const chosen = this.chosen;
    const { answer, trouble } = await this.ask(data);
    if (chosen !== this.chosen) return null;
    if (trouble) this.write(trouble);
    return answer ?? null;
  }

  write(text, kind = "said") {
    if (!text) return;
    const part = document.createElement("div");
    part.className = kind;
    part.textContent = text;
    at("log").append(part);
    at("log").scrollTop = at("log").scrollHeight;
  }

  tell({ code, text }) {
    const lines = code ? code.split("\n") : [];
    this.write(lines.map((line, index) => `${index ? "..." : ">>>"} ${line}`).join("\n"), "typed-line");
    this.write(text);
  }

  setOpen(lines) {
    this.open = lines;
    at("sign").textContent = lines.length ? "..." : ">>>";
  }

  hear(event) {
    const field = at("typed");
    if (event.isComposing || field.readOnly) return;
    if (event.key === "Enter" && !event.shiftKey && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      const lines = field.value.split("\n").map((line) => line.replace(TYPED_PROMPT, "").trimEnd());
      const last = lines.at(-1);
      field.value = last.match(/^\s*/)[0] + (last.endsWith(":") ? "    " : "");
      this.then(() => this.enter(lines));
    } else if ((event.key === "ArrowUp" || event.key === "ArrowDown") && !field.value.includes("\n")) {
      event.preventDefault();
      const moved = this.recalled + (event.key === "ArrowUp" ? -1 : 1);
      this.recalled = Math.max(0, Math.min(this.history.length, moved));
      field.value = this.history[this.recalled] ?? "";
    }
  }

  async enter(lines) {
    const chosen = this.chosen;
    for (const line of lines) {
      if (at("typed").readOnly || chosen !== this.chosen) return;
      if (line.trim() && line !== this.history.at(-1)) this.history.push(line);
      this.recalled = this.history.length;
      await this.run(line);
    }
  }

  async run(line) {
    const lines = [...this.open, line];
    this.write(`${at("sign").textContent} ${line}`, "typed-line");
    const answers = await this.asked({ ask: "typed", text: lines.join("\n") });
    if (!answers) return;
    const [{ text, is_open: isOpen, has_ended: hasEnded }] = answers;
    this.setOpen(isOpen ? lines : []);
    this.write(text);
    if (hasEnded) {
      this.write(this.words.restarted);
      await this.goThrough();
    }
  }
}
