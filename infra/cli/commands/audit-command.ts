/** `bms audit`: who did what, and when. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Command } from 'commander';
import type { Client, DataOf, InputOf } from '../../../shared/client/index.ts';
import { ApiFailure, NetworkFailure } from '../../../shared/client/index.ts';
import { type ChoiceOf, exportFormats } from '../base/choices.ts';
import { badInput } from '../base/cli-failure.ts';
import { defineCommand } from '../base/define-command.ts';
import { choiceOption, parseMoment } from '../base/parse-values.ts';
import { writeText } from '../base/write-text.ts';
import type { Action, Context } from '../context/context.ts';
import { addLimitOptions, type LimitOptions, pageSize, takeSome } from '../context/take-some.ts';
import { formatTime } from '../output/format.ts';
import { type Column, renderTable } from '../output/render-table.ts';
import { fieldOf } from '../texts/contract-text.ts';

type Entry = DataOf<'GET /audit-logs'>[number];
type Query = NonNullable<InputOf<'GET /audit-logs'>['query']>;

interface AuditOptions extends LimitOptions, Pick<Query, 'id' | 'from' | 'to' | 'action' | 'search'> {
  readonly actor?: string | undefined;
  readonly resourceType?: string | undefined;
  readonly resource?: string | undefined;
  readonly follow?: boolean | undefined;
  readonly export?: ChoiceOf<typeof exportFormats> | undefined;
  readonly out?: string | undefined;
}

const followMs = 3_000;

const columns: readonly Column<Entry>[] = [
  { title: 'TIME (UTC)', value: ({ timestamp }) => formatTime(timestamp)?.slice(0, 19) },
  { title: 'ACTION', value: ({ action }) => action },
  { title: 'WHO', value: ({ actor }) => actor.email ?? actor.name ?? actor.type, flexible: true },
  { title: 'RESOURCE', value: ({ resource }) => resource.id, flexible: true, optional: 1 },
];

export const addAuditCommand = (program: Command, action: Action): void => {
  addLimitOptions(
    defineCommand(program, {
      name: 'audit',
      summary: 'Show, follow or export the audit log',
      examples: [
        'bms audit --from 7d --action backup.deleted',
        'bms audit --resource bkp_… --search "ada deleted"',
        'bms audit --follow --json',
        'bms audit --from 2026-11-01 --to 2026-11-15 --export csv --out audit.csv',
      ],
    })
      .option('--from <time>', 'at this time or later; 7d is seven days ago', parseMoment)
      .option('--to <time>', 'at this time or earlier', parseMoment)
      .option('--action <action>', 'such as backup.deleted')
      .option('--actor <id>', 'id of a user, service account or API key')
      .option('--resource-type <type>', 'such as backup')
      .option('--resource <id>', fieldOf('GET /audit-logs', 'resourceId'))
      .option('--search <text>', fieldOf('GET /audit-logs', 'search'))
      .option('--id <id>', fieldOf('GET /audit-logs', 'id'))
      .option('--follow', 'wait for new entries until interrupted; with --json one line each')
      .addOption(choiceOption('--export <format>', 'all entries of the range as a file', exportFormats))
      .option('--out <file>', 'write the export to a file instead of stdout'),
  ).action(
    action(async (context, options: AuditOptions) => {
      const { id, from, to, action: name, actor, resourceType, resource, search, out } = options;
      if (options.follow && options.export) throw badInput('--follow and --export exclude each other');
      if (options.limit !== undefined && (options.follow || options.export))
        throw badInput(`${options.follow ? '--follow' : '--export'} and --limit exclude each other`);
      if (out !== undefined && !options.export) throw badInput('--out needs --export');
      const client = await context.client();
      const filters = { id, from, to, action: name, actorId: actor, resourceType, resourceId: resource, search };
      if (options.export) return exportLog(context, { client, query: { ...filters, format: options.export }, out });
      if (options.follow) return follow(context, client, filters);
      const list = client.list('GET /audit-logs', { query: { ...filters, limit: pageSize(options) } });
      context.output.list(await takeSome(list, options, context.output), { columns, idOf: ({ id }) => id, empty: 'No entries' });
    }),
  );
};

const exportLog = async (
  { output, environment }: Context,
  { client, query, out }: { readonly client: Client; readonly query: object; readonly out: string | undefined },
): Promise<void> => {
  const answer = await client.send('GET /audit-logs/export', { query: { ...query } });
  // Throws what the service says.
  const text =
    answer.status === 200 ? answer.text : String(await client.request('GET /audit-logs/export', { query: { ...query } }));
  if (out === undefined) environment.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
  else {
    writeText(out, text);
    output.note(`Wrote ${out}`);
  }
};

/** New entries, oldest first. The list is sorted by time, so those before the last known entry were printed. */
const follow = async ({ output, signal }: Context, client: Client, filters: Omit<Query, 'limit' | 'cursor'>): Promise<void> => {
  let known: string | undefined;
  for (;;) {
    const fresh: Entry[] = [];
    try {
      for await (const entry of client.list('GET /audit-logs', { query: { ...filters, limit: 50 }, signal })) {
        if (entry.id === known || (known === undefined && fresh.length >= 10)) break;
        fresh.push(entry);
      }
    } catch (error) {
      const isOutage =
        error instanceof NetworkFailure || (error instanceof ApiFailure && (error.status === 429 || error.status >= 500));
      if (!isOutage) throw error;
      fresh.length = 0;
    }
    for (const entry of fresh.toReversed()) printEntry(output, entry);
    known = fresh[0]?.id ?? known;
    await pause(followMs, undefined, { signal });
  }
};

const printEntry = (output: Context['output'], entry: Entry): void => {
  if (output.isJson) output.jsonLine(entry);
  else if (output.isQuiet) output.line(entry.id);
  else output.line(renderTable([entry], columns, output.terminal).lines[1] ?? '');
};
