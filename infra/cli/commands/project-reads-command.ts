/** `bms projects reads`: what protection reads a day. */
import type { Command } from 'commander';
import type { DataOf } from '../../../shared/client/index.ts';
import { defineCommand } from '../base/define-command.ts';
import { chooseProjectId } from '../context/choose-project.ts';
import type { Action } from '../context/context.ts';
import { findRecordId } from '../context/find-resource.ts';
import { formatCount } from '../output/format.ts';
import type { Detail } from '../output/output.ts';
import type { Column } from '../output/render-table.ts';

type Reads = DataOf<'GET /projects/{projectId}/reads'>;
type Day = Reads['days'][number];
type Choice = Reads['choices'][number];

export const addProjectReadsCommand = (group: Command, action: Action): void => {
  defineCommand(group, {
    name: 'reads [project]',
    summary: 'Show what protection reads a day, what it costs, and what each setting changes',
    examples: ['bms projects reads shop', 'bms projects reads shop --json'],
  }).action(
    action(async (context, _, [wanted]) => {
      const { client: open, output } = context;
      const client = await open();
      const projectId =
        wanted === undefined ? await chooseProjectId(context, undefined) : await findRecordId(client, 'project', wanted);
      const reads = await client.request('GET /projects/{projectId}/reads', { params: { projectId: projectId ?? '' } });
      output.show(reads, reads.projectId, detailsOf(reads));
      if (output.isJson || output.isQuiet) return;
      const used = reads.days.filter((day) => day.reads > 0);
      if (used.length > 0) output.table(used, dayColumns);
      if (reads.choices.length > 0) output.table(reads.choices, choiceColumns);
    }),
  );
};

const usd = (amount: number): string => `${amount} USD`;

const detailsOf = ({ readPrice, documents, changedPerDay, budget, forecast, consequences, offers }: Reads): readonly Detail[] => [
  ['Documents', documents === null ? null : formatCount(documents)],
  ['Changed a day', changedPerDay === null ? null : formatCount(changedPerDay)],
  [
    'Price',
    `${usd(readPrice.usdPerMillion)} a million ${readPrice.unit === 'document' ? 'documents' : 'read units'} (list price, ${readPrice.source})`,
  ],
  [
    'Budget a day',
    `${formatCount(budget.reads)} reads, about ${usd(budget.estimatedUsd)}${budget.isDefault ? ' (none is set)' : ''}`,
  ],
  ['Forecast a day', forecast && `${formatCount(forecast.reads)} reads, about ${usd(forecast.estimatedUsd)}`],
  ...consequences.map((text, n): Detail => [n === 0 ? 'Proof' : '', text]),
  ...offers.map(({ text }): Detail => ['Cheaper', text, 'yellow']),
];

const dayColumns: readonly Column<Day>[] = [
  { title: 'DAY (UTC)', value: ({ date }) => date },
  { title: 'READS', value: ({ reads }) => formatCount(reads) },
  { title: 'USD', value: ({ estimatedUsd }) => String(estimatedUsd) },
  { title: 'CHANGES', value: ({ changes, lookups }) => formatCount(changes + lookups), optional: 5 },
  { title: 'LISTING', value: ({ listing }) => formatCount(listing), optional: 1 },
  { title: 'COUNTS', value: ({ counts, proofs }) => formatCount(counts + proofs), optional: 2 },
  { title: 'AUDIT', value: ({ audit }) => formatCount(audit), optional: 3 },
  { title: 'BACKUPS', value: ({ bases, backups }) => formatCount(bases + backups), optional: 4 },
];

const choiceColumns: readonly Column<Choice>[] = [
  { title: 'SETTING', value: ({ setting, value, current }) => `${setting} ${value}${current ? ' (now)' : ''}` },
  { title: 'READS A DAY', value: ({ reads }) => formatCount(reads) },
  { title: 'USD A DAY', value: ({ estimatedUsd }) => String(estimatedUsd) },
  { title: 'WHAT IT MEANS', value: ({ consequence }) => consequence ?? '', flexible: true, optional: 1 },
];
