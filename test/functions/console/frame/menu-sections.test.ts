import { deepEqual } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'vitest';
import { menuSections } from '../../../../functions/console/app/frame/menu/menu-sections.ts';

/** The frame adds it below the sections. */
const apiDocs = 'API docs';

test('menu: the picture of the README shows the menu as it is; `npm run picture` takes a new one', () => {
  const pictured = readFileSync(new URL('../../../../functions/console/screenshots/overview-menu.json', import.meta.url), 'utf8');
  const entries = menuSections.flatMap(([, section]) => section.map(({ label }) => label));
  deepEqual([...entries, apiDocs], JSON.parse(pictured));
});
