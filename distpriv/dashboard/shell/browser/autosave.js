// Keeps the workspace in this tab of the browser: it outlives a reload, and ends with the tab.

const PLACE = "distpriv.workspace";

// Which session has been answered; a second one of the same document has lost its server.
let answered = null;

// Whether the tab has something that the server has asked for and does not know yet.
let awaited = false;

function found() {
  try {
    return JSON.parse(sessionStorage.getItem(PLACE)) ?? {};
  } catch {
    return {};
  }
}

function save(workspace) {
  try {
    sessionStorage.setItem(PLACE, JSON.stringify(workspace));
  } catch {
    // The browser keeps nothing for this page: a reload begins anew, and all else works.
  }
}

function forget() {
  try {
    sessionStorage.removeItem(PLACE);
  } catch {
    // There is nothing to forget where nothing is kept.
  }
}

export default function ({ data, setTriggerValue }) {
  if (data.forget) {
    forget();
  }
  if (data.asking && data.asking !== answered) {
    const [visit] = performance.getEntriesByType("navigation");
    const again = answered !== null || visit?.type !== "navigate";
    const had = found();
    answered = data.asking;
    awaited = Boolean(had.workspace);
    if (awaited) {
      setTriggerValue("found", { ...had, again });
    }
  }
  awaited = awaited && Boolean(data.asking);
  if (data.workspace && !awaited) {
    save({ workspace: data.workspace, key: data.key, owner: data.owner });
  }
}
