import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'vitest';
import {
  backupCommands,
  fixedCommands,
  projectCommands,
  searchCommands,
} from '../../../../functions/console/app/frame/palette/commands.ts';
import { matchScore } from '../../../../functions/console/app/frame/palette/match-score.ts';
import { shortcutOf, shortcuts } from '../../../../functions/console/app/frame/palette/shortcuts.ts';
import { newId } from '../../../../shared/platform/index.ts';

const shop = { id: newId('project'), name: 'Web shop', sourceProjectId: 'acme-prod-4711' };
const billing = { id: newId('project'), name: 'Billing', sourceProjectId: 'acme-billing' };
const backup = {
  id: newId('backup'),
  projectName: 'Billing',
  createdAt: '2026-01-02T03:04:05Z',
  status: 'completed',
  type: 'full',
};
const commands = [...fixedCommands, ...projectCommands([shop, billing] as never), ...backupCommands([backup] as never)];
const found = (query: string, recent: readonly string[] = [], current = '/') =>
  searchCommands(commands, { query, recent, current }).map(({ command }) => command.label);

test('palette: the beginning of a word counts more than its middle, and that more than letters in order', () => {
  const scores = ['Shop', 'Web shop', 'Workshop', 'Sales hop'].map((text) => matchScore(text, 'shop'));
  deepEqual(
    scores,
    [...scores].sort((one, other) => other - one),
  );
  equal(new Set(scores).size, scores.length);
  ok(matchScore('Production', 'prd') > 0);
  equal(matchScore('Production', 'xp'), 0);
  equal(matchScore('Production', 'p z'), 0, 'every word must match');
});

test('palette: projects are found by name, by the id at Google, and with an action for each', () => {
  deepEqual(found('web sh').slice(0, 2), ['Web shop', 'Back up Web shop']);
  equal(found('web')[0], 'Web shop', 'before Webhooks, of which it is only the beginning');
  equal(found('4711')[0], 'Web shop');
  equal(found('back up bil')[0], 'Back up Billing');
  ok(
    found('billing').some((label) => label.startsWith('Billing, ')),
    'its backup',
  );
  deepEqual(found('nothing of the kind'), []);
});

test('palette: an id or the path of a document is enough, and comes first', () => {
  const id = newId('restore');
  equal(found(id)[0], `Open the restore ${id}`);
  const incidentId = newId('incident');
  equal(found(incidentId)[0], `Open the incident ${incidentId}`);
  equal(found(` ${backup.id} `)[0], `Open the backup ${backup.id}`);
  equal(found(backup.id).length, 1, 'the same page is offered once');
  equal(found('users/ada')[0], 'Find the document users/ada');
});

test('palette: it begins with the pages visited last, without the open one, then actions and pages', () => {
  const recent = ['/team', `/projects/${shop.id}`, '/gone', '/audit'];
  const results = searchCommands(commands, { query: '', recent, current: '/team' });
  deepEqual(
    results.slice(0, 3).map(({ command, group }) => [group, command.label]),
    [
      ['Recent', 'Web shop'],
      ['Recent', 'Audit log'],
      ['Actions', 'Back up now'],
    ],
  );
  equal(results.filter(({ command }) => command.label === 'Audit log').length, 1);
  equal(found('s', ['/schedules'])[0], 'Schedules', 'what was visited lately comes before what matches as well');
});

test('shortcuts: each leads to one place, and none begins another', () => {
  const all = [...shortcuts.actions, ...shortcuts.pages];
  equal(new Set(all.map(({ keys }) => keys.join(' '))).size, all.length);
  equal(shortcutOf(undefined, 'g'), 'wait');
  for (const shortcut of all) {
    const [first = '', second] = shortcut.keys;
    equal(second === undefined ? shortcutOf(undefined, first) : shortcutOf(first, second), shortcut);
  }
  equal(shortcutOf('g', 'c'), undefined, 'the second key of an unknown pair does nothing of its own');
});
