// Helpers that create and update DOM elements, and the icons.

type Props = Record<string, string | number | boolean | ((event: never) => void) | undefined>;
type Child = Node | string | null | undefined;

/** Creates an element. Props named `on…` are listeners; a boolean sets or omits an attribute. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props: Props = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  setUp(element, props, children);
  return element;
}

/** Creates an SVG element. */
export function s<K extends keyof SVGElementTagNameMap>(
  tag: K,
  props: Props = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  setUp(element, props, children);
  return element;
}

function setUp(element: Element, props: Props, children: Child[]): void {
  for (const [name, value] of Object.entries(props)) {
    if (typeof value === 'function') element.addEventListener(name.slice(2), value as (event: Event) => void);
    else if (value === true) element.setAttribute(name, '');
    else if (value !== false && value !== undefined) element.setAttribute(name, String(value));
  }
  for (const child of children) if (child !== null && child !== undefined) element.append(child);
}

/** Sets the text if it changed. */
export function text(element: Element, value: string): void {
  if (element.textContent !== value) element.textContent = value;
}

/** Sets an attribute if it changed. */
export function attribute(element: Element, name: string, value: string): void {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

const ICONS = {
  play: 'M7 4.5v15l12-7.5z',
  pause: 'M7 5h3.5v14H7zM13.5 5H17v14h-3.5z',
  step: 'M5 5l9 7-9 7zM16 5h3v14h-3z',
  back: 'M19 5l-9 7 9 7zM5 5h3v14H5z',
  reset: 'M12 5V1.5L6.5 6.5 12 11V8a5 5 0 1 1-5 5H4a8 8 0 1 0 8-8z',
  camera: 'M9 4L7.5 6H3.5v13h17V6h-4L15 4zm3 4.5a4 4 0 1 1 0 8 4 4 0 0 1 0-8z',
  video: 'M3 6h12v4l6-3.5v11L15 14v4H3z',
  fit: 'M4 9V4h5v2H6v3zM15 4h5v5h-2V6h-3zM4 15h2v3h3v2H4zM18 15h2v5h-5v-2h3z',
  pull: 'M5 19a2.5 2.5 0 1 1 2.2-3.7L15.6 9 14 7.4l6-2.4-2.4 6-1.5-1.5-7.6 6.8A2.5 2.5 0 0 1 5 19z',
  turn: 'M12 5a7 7 0 1 0 6.7 9h-2.9A4.3 4.3 0 1 1 12 7.7c1.2 0 2.2.5 3 1.2L12.5 11.5H20V4l-2.9 2.9A7 7 0 0 0 12 5z',
  follow:
    'M12 2v4a6 6 0 0 1 6 6h4a10 10 0 0 0-10-10zM2 12a10 10 0 0 0 10 10v-4a6 6 0 0 1-6-6zm10-4a4 4 0 1 0 0 8 4 4 0 0 0 0-8z',
  ortho:
    'M4 8l8-5 8 5v8l-8 5-8-5zm2 1.200v5.700l5 3.100v-5.700zm12 0l-5 3.100V18l5-3.100zM12 5.400L7.300 8.300 12 11.200l4.700-2.900z',
  theme: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zm0 2.2v13.6a6.8 6.8 0 0 1 0-13.6z',
  help: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zm-1 13h2v2h-2zm1-10c2 0 3.4 1.2 3.4 3 0 2.2-2.4 2.5-2.4 4.5h-2c0-2.8 2.3-3.2 2.3-4.5 0-.7-.5-1.2-1.3-1.2s-1.4.5-1.5 1.5H8.500C8.600 7.300 10 6 12 6z',
  close:
    'M6.400 5L12 10.600 17.600 5 19 6.400 13.400 12 19 17.600 17.600 19 12 13.400 6.400 19 5 17.600 10.600 12 5 6.400z',
  down: 'M5 9l7 7 7-7z',
  panel: 'M3 5h18v2.200H3zM3 10.900h18v2.200H3zM3 16.800h18V19H3z',
} as const;

export type Icon = keyof typeof ICONS;

export function icon(name: Icon): SVGSVGElement {
  return s(
    'svg',
    { viewBox: '0 0 24 24', width: 18, height: 18, 'aria-hidden': 'true', class: 'icon' },
    s('path', { d: ICONS[name] }),
  );
}

export function setIcon(button: Element, name: Icon): void {
  const path = button.querySelector('svg path');
  if (path !== null) attribute(path, 'd', ICONS[name]);
}

/** A button with an icon and an accessible name. */
export function iconButton(name: Icon, label: string, act: () => void, keys?: string): HTMLButtonElement {
  const button = h(
    'button',
    {
      type: 'button',
      class: 'icon-button',
      'aria-label': label,
      title: keys === undefined ? label : `${label} (${keys})`,
    },
    icon(name),
  );
  button.addEventListener('click', act);
  return button;
}

/** Wraps a function so that it runs at most once per interval (ms); the last call is never lost. */
export function throttled(interval: number, act: () => void): () => void {
  let last = -Infinity;
  let waiting = false;
  return () => {
    if (waiting) return;
    const wait = last + interval - performance.now();
    if (wait <= 0) {
      last = performance.now();
      act();
      return;
    }
    waiting = true;
    setTimeout(() => {
      waiting = false;
      last = performance.now();
      act();
    }, wait);
  };
}
