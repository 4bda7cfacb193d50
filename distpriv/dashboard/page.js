// In the page before Streamlit draws (front.py): what it has no option for. A region that stays
// speaks the answer when it changes, and the keyboard's place is kept when its element goes.
addEventListener("DOMContentLoaded", () => {
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const ANSWER = "[data-testid=stMain] h1, .st-key-lead, .st-key-advice, .st-key-warning";
  const WRONG = "[data-testid=stCaptionContainer] .stMarkdownColoredText"; // beside a control
  const region = document.createElement("div");
  region.id = "spoken";
  region.setAttribute("role", "status");
  document.body.append(region);

  // A control that is made anew has the key of the one before, with another revision.
  const stem = (part) => part?.className.match(/st-key-(\S+?)(-\d+)?(?=\s|$)/)?.[1];
  const CONTROL = "[data-testid=stElementContainer]";
  let focused, key, place, typing, timer;
  addEventListener("focusin", ({target}) => {
    const control = target.closest(CONTROL);
    [focused, key] = [target, stem(control)];
    place = control ? all(target.tagName, control).indexOf(target) : 0;
  });
  addEventListener("keydown", () => (typing = true), true);
  addEventListener("pointerdown", () => (typing = false), true);

  // Streamlit takes what replaces a chosen text for an addition to it: 1000 over 100 became 0.
  addEventListener("beforeinput", ({target, inputType}) => {
    const chosen = target.matches("[role=combobox]") && inputType.startsWith("insert");
    if (!chosen || !target.value || target.selectionStart > 0) return;
    if (target.selectionEnd < target.value.length) return;
    target.setRangeText("");
    target.dispatchEvent(new Event("input", {bubbles: true}));
  }, true);

  // Back takes a text along that is still being typed: it is sent first, and only then the page.
  addEventListener("popstate", (event) => {
    const text = document.activeElement;
    if (!event.isTrusted || !text.matches("input:not([type=range]), textarea")) return;
    event.stopImmediatePropagation();
    text.blur();
    setTimeout(() => dispatchEvent(new PopStateEvent("popstate", {state: event.state})), 100);
  }, true);

  function settled() {
    clearTimeout(timer);
    if (document.querySelector("[data-testid=stApp]")?.dataset.testScriptState !== "notRunning") {
      timer = setTimeout(settled, 200);
      return;
    }
    const parts = all(`${ANSWER}, ${WRONG}`).map((part) => part.innerText.trim());
    const words = parts.map((text) => text.replace(/([^.?!])$/, "$1.")).join(" ");
    if (words && words !== region.textContent) region.textContent = words;
    // The phone's menu has groups inside of its list.
    for (const group of all("[data-testid=stSidebarNavItems] > div")) {
      group.setAttribute("role", "listitem");
      for (const item of all("li", group)) item.setAttribute("role", "none");
    }
    const gone = focused && (!focused.isConnected || focused.disabled);
    if (gone && typing && document.activeElement === document.body) {
      const again = key && all(CONTROL).find((part) => stem(part) === key);
      const heading = document.querySelector("h1");
      heading?.setAttribute("tabindex", "-1");
      (again ? all(focused.tagName, again)[place] ?? heading : heading)?.focus();
    }
  }
  const later = () => {
    clearTimeout(timer);
    timer = setTimeout(settled, 200);
  };
  new MutationObserver(later).observe(document.body, {
    subtree: true, childList: true, characterData: true,
  });
});
