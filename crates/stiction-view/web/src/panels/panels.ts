// The panels beside the stage: pages with tabs, and the plots below.

import type { Model } from '../data/model';
import type { Vec3 } from '../data/vec';
import { attribute, h, iconButton } from '../page/dom';
import type { Stage } from '../stage/stage';
import { makeEvents } from './events';
import { makePlots } from './plots';
import { makeSettings } from './settings';
import { makeBodyTable, makeContactTable } from './tables';
import { makeWhy } from './why';

/** Pages that stay open when something is selected: their rows show the selection. */
const TABLES = ['Contacts', 'Bodies'];

export class Panels {
  readonly element = h('aside', { class: 'side', 'aria-label': 'Panels' });
  private readonly pages: [string, HTMLElement][];
  private readonly buttons: HTMLButtonElement[];
  private readonly plots: HTMLElement;
  private readonly drawer = iconButton('down', 'Hide or show the panels', () =>
    this.open(this.element.classList.contains('closed')),
  );

  constructor(model: Model, stage: Stage) {
    const why = makeWhy(model, () => axesOf(stage));
    stage.controls.addEventListener('change', () => why.update());
    this.pages = [
      ['Why', why.element],
      ['Contacts', makeContactTable(model)],
      ['Bodies', makeBodyTable(model)],
      ['Events', makeEvents(model)],
      ['Settings', makeSettings(model)],
    ];
    this.drawer.classList.add('drawer-button');
    this.buttons = this.pages.map(([name, page], i) => this.makeTab(name, page, i));
    this.plots = makePlots(model);
    this.element.append(
      h('div', { class: 'tab-row' }, this.makeTabs(), this.drawer),
      h('div', { class: 'pages' }, ...this.pages.map(([, page]) => page)),
      this.plots,
    );
    const narrow = matchMedia('(max-width: 760px)');
    narrow.addEventListener('change', () => this.open(!narrow.matches));
    this.open(!narrow.matches);
    this.show(0);
    model.on('selection', (selection) => {
      const at = this.buttons.findIndex((button) => button.getAttribute('aria-selected') === 'true');
      if (selection !== null && !TABLES.includes(this.pages[at]?.[0] ?? '')) this.show(0);
    });
  }

  private makeTab(name: string, page: HTMLElement, index: number): HTMLButtonElement {
    page.id = `page-${index}`;
    page.setAttribute('role', 'tabpanel');
    page.setAttribute('aria-labelledby', `tab-${index}`);
    const button = h(
      'button',
      { type: 'button', role: 'tab', id: `tab-${index}`, 'aria-controls': page.id },
      name,
    );
    button.addEventListener('click', () => {
      this.open(true);
      this.show(index);
    });
    return button;
  }

  private makeTabs(): HTMLElement {
    const tabs = h('div', { class: 'tabs', role: 'tablist', 'aria-label': 'Panels' }, ...this.buttons);
    tabs.addEventListener('keydown', (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (step === undefined) return;
      const now = this.buttons.indexOf(document.activeElement as HTMLButtonElement);
      const next = (now + step + this.buttons.length) % this.buttons.length;
      this.show(next);
      this.buttons[next]!.focus();
      event.preventDefault();
    });
    return tabs;
  }

  private show(index: number): void {
    this.pages.forEach(([, page], i) => {
      page.hidden = i !== index;
      attribute(this.buttons[i]!, 'aria-selected', String(i === index));
      attribute(this.buttons[i]!, 'tabindex', i === index ? '0' : '-1');
      if (i === index) page.dispatchEvent(new Event('shown'));
    });
  }

  /** Opens or closes the drawer that the panels are in a narrow window. */
  private open(open: boolean): void {
    this.element.classList.toggle('closed', !open);
    attribute(this.drawer, 'aria-expanded', String(open));
    if (!open) return;
    this.plots.dispatchEvent(new Event('shown'));
    for (const [, page] of this.pages) if (!page.hidden) page.dispatchEvent(new Event('shown'));
  }
}

/** The directions in the world that point right and up on the screen. */
function axesOf(stage: Stage): { right: Vec3; up: Vec3 } {
  const { elements } = stage.camera.matrixWorld;
  return { right: elements.slice(0, 3) as Vec3, up: elements.slice(4, 7) as Vec3 };
}
