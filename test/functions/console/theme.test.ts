/** The themes differ in colors only, so the browser journeys check all but the colors of a page in one theme. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import axe from 'axe-core';
import { test } from 'vitest';
import { colorRules } from '../../harness/browser/theme-rules.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const styles = globSync('functions/console/app/**/*.css', { cwd: root }).map((file) => [file, readFileSync(root + file, 'utf8')]);

test('theme: styles take no decision by the theme except light-dark(), whose values are colors', () => {
  ok(styles.length > 5);
  for (const [file = '', text = ''] of styles) {
    ok(!text.includes('prefers-color-scheme'), file);
    for (const [rule, selector = ''] of text.matchAll(/([^{}]*\[data-theme[^{}]*)\{[^}]*\}/g))
      equal(
        rule
          .replace(selector, '')
          .replace(/\s+/g, ' ')
          .replace(/dark|light/, '*'),
        '{ color-scheme: *; }',
        file,
      );
    equal(text.match(/\[data-theme/g)?.length ?? 0, [...text.matchAll(/\[data-theme[^{},]*\{/g)].length, file);
  }
});

test('theme: both themes are checked with all rules of axe-core about colors', () => {
  const known = axe.getRules(['cat.color']).map(({ ruleId }) => ruleId);
  // Contrast of level AAA is not a goal, and axe-core does not check it unless asked.
  deepEqual(known.filter((id) => id !== 'color-contrast-enhanced').sort(), [...colorRules].sort());
});

test('theme: people who prefer reduced motion see no animation and no transition', () => {
  const block = /@media \(prefers-reduced-motion: reduce\) \{((?:[^{}]*\{[^{}]*\})*)\s*\}/g;
  const selectorsOf = (text: string, declaration: RegExp): readonly string[] =>
    [...text.matchAll(/([^{}]*)\{([^{}]*)\}/g)]
      .filter(([, , body = '']) => declaration.test(body))
      .flatMap(([, selectors = '']) => selectors.replaceAll(/\/\*[\s\S]*?\*\//g, '').split(','))
      .map((selector) => selector.trim());
  let animated = 0;
  for (const [file = '', text = ''] of styles) {
    const still = [...text.matchAll(block)].flatMap(([, body = '']) => selectorsOf(body, /animation: none;/));
    const moving = selectorsOf(text.replaceAll(block, ''), /animation(?:-name)?:/);
    // As specific as the rule that animates, and after it.
    deepEqual(
      moving.filter((selector) => !still.includes(selector)),
      [],
      file,
    );
    animated += moving.length;
    // These last 0 ms then.
    for (const [, value = ''] of text.matchAll(/transition: *([^;]*);/g))
      for (const part of value.split(',')) match(part, /var\(--(?:fast|slow)\)/, file);
    ok(!/transition-duration|scroll-behavior/.test(text), file);
  }
  ok(animated > 5);
});
