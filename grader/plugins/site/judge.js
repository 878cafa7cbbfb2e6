// The judge and its executors, which are workers of this worker. A spare executor is always ready.

const RESET_MS = 1000; // the time limit for resetting an executor; after it, the executor is terminated
const pools = new Map();
let setup = null;

class Executor {
  constructor(seed) {
    this.seed = seed;
    this.worker = new Worker(setup.executor);
    this.worker.onmessage = ({ data }) => this.onMessage(data);
    this.worker.onerror = (event) => this.onMessage({ over: undefined, isDead: true, why: event.message });
    this.worker.postMessage({ start: { seed, words: setup.words, assets: setup.executorAssets } });
    this.expectReady();
  }

  // Make `isReady` a promise that resolves when the executor is ready for a session.
  expectReady() {
    this.isTaken = false;
    this.isReady = new Promise((resolve) => { this.setReady = resolve; });
  }

  onMessage(data) {
    if (data.isDead && data.why) console.warn(data.why);
    if (data.isDead) this.isDead = true;
    this.wasReady ||= data.ready;
    if (data.ready || (data.isDead && !this.isTaken)) this.setReady(this);
    else this.received.push(data.bytes);
    if ("over" in data) this.code = data.over;
    this.wake?.();
  }

  take(bytes) {
    Object.assign(this, { isTaken: true, received: [], code: undefined });
    this.worker.postMessage({ begin: bytes });
    return this;
  }

  send(bytes) { this.worker.postMessage({ bytes }, [bytes.buffer]); }

  has() { return this.received.length > 0; }

  wait(ms) {
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.wake?.(), ms);
      this.wake = () => {
        clearTimeout(timer);
        this.wake = null;
        resolve(this.has());
      };
    });
  }

  receive() { return this.received.shift(); }

  // Replace the executor with a new one.
  discard() {
    this.isDead = true;
    return this.end();
  }

  // Reset the executor if its session ends in time, otherwise replace it with a new one.
  async end() {
    this.wake = null;
    this.expectReady();
    const timeout = new Promise((resolve) => setTimeout(resolve, RESET_MS));
    if (!this.isDead) {
      this.worker.postMessage({ end: true });
      if (await Promise.race([this.isReady, timeout]) && !this.isDead) return;
    }
    this.setReady(this.replace().isReady); // for callers that are already waiting for this executor
  }

  replace() {
    this.worker.terminate();
    const next = new Executor(this.seed);
    const all = pools.get(this.seed);
    all.splice(all.indexOf(this), 1, next);
    return next;
  }
}

function pool(seed) {
  if (!pools.has(seed)) pools.set(seed, [new Executor(seed)]);
  return pools.get(seed);
}

async function take(seed, bytes) {
  for (;;) {
    const free = pool(seed).filter((executor) => !executor.isTaken);
    if (!free.length) pool(seed).push(new Executor(seed));
    else {
      const executor = await Promise.race(free.map((executor) => executor.isReady));
      if (!executor.isDead) return executor.take(bytes);
      executor.replace();
      if (!executor.wasReady) throw new Error("a worker did not start");
    }
  }
}

async function start(options) {
  setup = options;
  // On a page opened from a disk, a worker can only start workers from URLs that it created.
  setup.executor = URL.createObjectURL(setup.executor);
  pool(0);
  const stderr = (line) => console.warn(line);
  const python = await interpreter(setup.judgeAssets, { stderr });
  const { check_files: checkFiles, open_prompt: openPrompt, type_line: typeLine } = python.pyimport("grader.plugins.site.judging");
  await Promise.race(pool(0).map((executor) => executor.isReady));
  const answers = {
    check: ({ files }) => checkFiles.callPromising({ take }, setup.suite, python.toPy(files)),
    prompt: ({ files, id, lines }) =>
      openPrompt.callPromising({ take }, setup.suite, python.toPy(files), id, python.toPy(lines)),
    typed: ({ text }) => typeLine.callPromising(text),
  };
  let last = Promise.resolve(); // requests run one after the other, as there is one interpreter
  self.onmessage = ({ data }) => { last = last.then(() => answer(data, answers[data.ask])); };
  self.postMessage({ ask: "start" });
}

async function answer(data, handle) {
  const startTime = performance.now();
  const reply = { ask: data.ask, number: data.number };
  try {
    reply.answer = JSON.parse(await handle(data));
  } catch (error) {
    reply.trouble = String(error);
  }
  self.postMessage({ ...reply, ms: performance.now() - startTime });
  if (pool(0).length < 2) pool(0).push(new Executor(0));
}

self.onmessage = ({ data }) => start(data);
