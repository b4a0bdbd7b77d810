/* The chat page: the answer as it comes, then what memory gave. Without this the form does the same in one piece. */
(function () {
  "use strict";

  const form = document.getElementById("ask");
  const talk = document.getElementById("talk");
  const problem = document.getElementById("problem");
  const stop = document.getElementById("stop");
  const send = form.querySelector("button.primary");
  const field = form.elements.message;
  const said = JSON.parse(form.elements.history.value || "[]");
  let running = null;

  function fail(words) {
    problem.textContent = words;
    problem.hidden = !words;
    if (words) problem.scrollIntoView({ block: "nearest" });
  }

  function turn(role, label, text) {
    const item = document.createElement("li");
    item.className = "said";
    item.dataset.role = role === "user" ? "user" : "other";
    const tag = document.createElement("span");
    tag.className = "tag";
    tag.textContent = label;
    const words = document.createElement("p");
    words.dir = "auto";
    words.textContent = text;
    item.append(tag, " ", words);
    talk.append(item);
    return { item: item, words: words };
  }

  function body() {
    const caesar = { memory: form.elements.off.checked ? "off" : "on" };
    if (form.elements.space) caesar.space = form.elements.space.value;
    if (form.elements.conversation.value) caesar.conversation_id = form.elements.conversation.value;
    const messages = said.map(function (each) { return { role: each.role, content: each.content }; });
    return JSON.stringify({ messages: messages, stream: true, caesar: caesar });
  }

  /* Calls `event` with the data of each event of a stream. */
  async function listen(response, event) {
    const reader = response.body.getReader();
    const decoder = new TextDecoder();
    let rest = "";
    for (;;) {
      const piece = await reader.read();
      if (piece.done) return;
      rest += decoder.decode(piece.value, { stream: true });
      const events = rest.split("\n\n");
      rest = events.pop();
      events.forEach(function (each) { if (each.startsWith("data: ")) event(each.slice(6)); });
    }
  }

  async function refused(response) {
    try {
      return (await response.json()).error.message;
    } catch (_error) {
      return form.dataset.broken;
    }
  }

  /* Returns the words of the answer and the id of its row; `problem` where it did not come to its end. */
  async function answer(response, shown) {
    let text = "", ended = false, trouble = "";
    try {
      await listen(response, function (data) {
        if (data === "[DONE]") { ended = true; return; }
        const chunk = JSON.parse(data);
        if (chunk.error) { trouble = chunk.error.message; return; }
        const delta = chunk.choices && chunk.choices[0] && chunk.choices[0].delta;
        if (delta && delta.content) {
          text += delta.content;
          shown.words.textContent = text;
        }
      });
    } catch (error) {
      if (error.name !== "AbortError") trouble = form.dataset.broken;
      return { text: text, problem: trouble, stopped: error.name === "AbortError" };
    }
    return { text: text, problem: trouble || (ended ? "" : form.dataset.broken) };
  }

  function takeBack(mine, shown, words, text) {
    mine.item.remove();
    if (shown) shown.item.remove();
    said.pop();
    field.value = field.value || text;
    fail(words);
  }

  async function ask(text) {
    fail("");
    const hint = document.getElementById("hint");
    if (hint) hint.hidden = true;
    const mine = turn("user", form.dataset.you, text);
    said.push({ role: "user", content: text });
    field.value = "";
    running = new AbortController();
    let response;
    try {
      response = await fetch(form.dataset.stream, {
        method: "POST",
        headers: { "Content-Type": "application/json", "X-CSRFToken": form.elements.csrfmiddlewaretoken.value },
        body: body(),
        signal: running.signal,
      });
    } catch (error) {
      takeBack(mine, null, error.name === "AbortError" ? "" : form.dataset.away, text);
      return;
    }
    if (!response.ok) {
      takeBack(mine, null, await refused(response), text);
      return;
    }
    const shown = turn("assistant", form.dataset.assistant, "");
    shown.item.setAttribute("aria-busy", "true");
    shown.item.scrollIntoView({ block: "nearest" });
    const found = await answer(response, shown);
    shown.item.removeAttribute("aria-busy");
    if (!found.text) {
      takeBack(mine, shown, found.problem || (found.stopped ? "" : form.dataset.empty), text);
      return;
    }
    fail(found.problem);
    said.push({ role: "assistant", content: found.text });
    form.elements.conversation.value = response.headers.get("x-caesar-conversation-id") || form.elements.conversation.value;
    document.dispatchEvent(new CustomEvent("said", { detail: { value: form.dataset.answered } }));
    if (!found.problem && !found.stopped) await given(shown, response.headers.get("x-caesar-audit-id"));
  }

  async function given(shown, id) {
    const place = document.createElement("div");
    shown.item.append(place);
    await htmx.ajax("GET", form.dataset.given + id, { target: place, swap: "outerHTML" });
    shown.item.scrollIntoView({ block: "nearest" });
  }

  function busy(is) {
    const mine = [document.body, field, send, stop].includes(document.activeElement);
    send.disabled = is;
    stop.hidden = !is;
    if (!is && mine) field.focus();  // whoever went elsewhere meanwhile is left there
  }

  form.addEventListener("submit", function (event) {
    event.preventDefault();
    const text = field.value;
    if (!text.trim() || send.disabled) return;
    busy(true);
    ask(text).finally(function () { running = null; busy(false); });
  });

  stop.addEventListener("click", function () { if (running) running.abort(); });

  field.addEventListener("keydown", function (event) {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    form.requestSubmit();
  });
})();
