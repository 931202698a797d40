import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'vitest';
import { HistoryCounter } from '../../../../../infra/local/engines/step-functions/history-counter.ts';

const state = (name: string, type: string) => ({ name, type });
const of = (name: string, type: string, ...types: readonly string[]) =>
  types.map((each) => ({ type: each, state: state(name, type) }));

const counted = (events: readonly object[], distributed: ReadonlyMap<string, string> = new Map()): number => {
  const counter = new HistoryCounter({ distributedMaps: distributed });
  for (const event of events) counter.add(event as Parameters<HistoryCounter['add']>[0]);
  return counter.events;
};

for (const [what, events, expected] of [
  ['the start of an execution is one event', [{ type: 'ExecutionStarted' }], 1],
  ['a choice or a pause is entered and left', of('Wait', 'Wait', 'StateEntered', 'StateExited'), 2],
  ['a task is also scheduled, started and succeeds', of('Work', 'Task', 'StateEntered', 'StateExited'), 5],
  [
    'every retry is scheduled, started and fails or succeeds',
    of('Work', 'Task', 'StateEntered', 'StateFailed', 'StateRetried', 'StateExited'),
    8,
  ],
  ['a caught failure has no success', of('Work', 'Task', 'StateEntered', 'StateFailed', 'StateCaught', 'StateExited'), 5],
  ['a map is also started and succeeds', of('Each', 'Map', 'StateEntered', 'StateExited'), 4],
] as const)
  test(`history: ${what}`, () => equal(counted(events), expected));

test('history: items of an inline map count in the history of the execution, those of a distributed one in their own', () => {
  const item = (index: number) => [
    { type: 'MapIterationStarted', parentState: { name: 'Each' }, index },
    { type: 'StateEntered', state: state('Work', 'Task'), index },
    { type: 'StateExited', state: state('Work', 'Task'), index },
    { type: 'MapIterationSucceeded', parentState: { name: 'Each' }, index },
  ];
  const [entered, exited] = of('Each', 'Map', 'StateEntered', 'StateExited');
  const events = [entered!, ...item(0), ...item(1), exited!];
  deepEqual([counted(events), counted(events, new Map([['Work', 'Each']]))], [4 + 2 * 7, 7]);
});
