/** `bms status`: whether everything is protected now. */

import type { Command } from 'commander';
import type { Client, DataOf, InputOf } from '../../../shared/client/index.ts';
import { formatBytes } from '../../../shared/contract/format-bytes.ts';
import { escapeOutput } from '../../archive/escape-output.ts';
import { type ChoiceOf, projectSorts, protections } from '../base/choices.ts';
import { CliFailure } from '../base/cli-failure.ts';
import { defineCommand } from '../base/define-command.ts';
import { exitCodes } from '../base/exit-codes.ts';
import { choiceOption } from '../base/parse-values.ts';
import type { Action } from '../context/context.ts';
import { addLimitOptions, type LimitOptions, pageSize, takeSome } from '../context/take-some.ts';
import { formatCount, formatCounted, formatDuration, formatMinute } from '../output/format.ts';
import type { Column } from '../output/render-table.ts';
import { statusStyle } from '../output/status-style.ts';
import { waitWords } from '../output/wait-words.ts';

type Overview = DataOf<'GET /overview'>;
type Project = Overview['projects'][number];
type Query = NonNullable<InputOf<'GET /overview'>['query']>;

interface StatusOptions extends LimitOptions, Pick<Query, 'search' | 'label'> {
  readonly check?: boolean | undefined;
  readonly protection?: ChoiceOf<typeof protections> | undefined;
  readonly sort?: ChoiceOf<typeof projectSorts> | undefined;
  readonly reverse?: boolean | undefined;
}

const columns: readonly Column<Project>[] = [
  { title: 'PROJECT', value: ({ name }) => name, flexible: true },
  {
    title: 'PROTECTION',
    value: ({ protection, verified }) => (protection === 'protected' && !verified ? 'protected, not verified' : protection),
    style: ({ protection }) => statusStyle(protection),
  },
  {
    title: 'LAST GOOD BACKUP',
    value: ({ lastGoodBackup }) => lastGoodBackup && `${formatDuration(lastGoodBackup.ageSeconds * 1_000)} ago`,
  },
  { title: 'PROVEN (UTC)', value: ({ lastRestoreTest }) => provenWords(lastRestoreTest), optional: 3 },
  { title: 'NEXT RUN (UTC)', value: ({ nextRun }) => formatMinute(nextRun?.at), optional: 2 },
  {
    title: 'RUNNING',
    value: ({ runningJobs }) =>
      runningJobs
        .map(({ kind, percent, waitingFor }) =>
          waitingFor ? `${kind} waits for ${waitWords[waitingFor.reason]}` : `${kind} ${percent} %`,
        )
        .join(', '),
    flexible: true,
    optional: 1,
  },
];

const provenWords = (test: Project['lastRestoreTest']): string => {
  if (!test) return 'never';
  const written = test.documentsWritten === null ? '' : `, ${formatCounted(test.documentsWritten, 'document')} written`;
  return `${formatMinute(test.at)}${written}`;
};

export const addStatusCommand = (program: Command, action: Action): void => {
  addLimitOptions(
    defineCommand(program, {
      name: 'status',
      aliases: ['overview'],
      summary: 'Show whether each project is protected, and what needs attention',
      examples: [
        'bms status',
        'bms status --protection at_risk --label team=shop',
        'bms status --sort lastRestoreTest --limit 10',
        'bms status --check || notify',
      ],
    })
      .option('--check', 'exit with 1 unless every project is protected')
      .option('--search <text>', 'projects with this text in their name, source or labels')
      .addOption(choiceOption('--protection <state>', 'only these projects', protections))
      .option('--label <key=value>', 'projects with this label; several, separated by commas, must all match')
      .addOption(choiceOption('--sort <order>', 'the order of the projects (default: protection, the least first)', projectSorts))
      .option('--reverse', 'the reverse order'),
  ).action(
    action(async ({ client: open, output }, options: StatusOptions) => {
      const { check, search, protection, label, sort = 'protection', reverse } = options;
      const query = { search, protection, label, sort: reverse ? (`-${sort}` as const) : sort, limit: pageSize(options) };
      const client = await open();
      const { first, pages } = await readPages(client, query);
      const projects = await takeSome(projectsOf(pages), options, output);
      const { totals, attention } = first;
      if (output.isJson) output.json({ ...first, projects });
      else if (output.isQuiet) for (const { id, protection: state } of projects) output.line(`${id} ${state}`);
      else {
        if (totals.projects === 0) output.note('No projects yet: bms projects connect <id of the Google Cloud project>');
        else if (projects.length === 0) output.note('No project matches');
        else output.table(projects, columns);
        if (first.matching < totals.projects)
          output.note(`${formatCount(first.matching)} of ${formatCounted(totals.projects, 'project')} match`);
        for (const { severity, message } of attention)
          output.line(output.terminal.paint(statusStyle(severity) ?? 'reset', escapeOutput(`${severity}: ${message}`)));
        output.line(totalsLine(totals));
      }
      const exposed = totals.atRisk + totals.unprotected;
      if (check && exposed > 0)
        throw new CliFailure(
          exitCodes.failed,
          `${formatCount(exposed)} of ${formatCounted(totals.projects, 'project')} not protected`,
        );
    }),
  );
};

const totalsLine = ({ projects, protected: safe, unverified, proven, backups, storedBytes }: Overview['totals']): string =>
  [
    `${formatCount(safe)} of ${formatCounted(projects, 'project')} protected`,
    ...(unverified > 0 ? [`${formatCount(unverified)} of them not verified`] : []),
    `${formatCount(proven)} proven by a restore test`,
    formatCounted(backups, 'backup'),
    `${formatBytes(storedBytes)} stored`,
  ].join(', ');

/** The first page, which has the totals, and all pages from it on. */
const readPages = async (client: Client, query: Query): Promise<{ first: Overview; pages: AsyncIterable<Overview> }> => {
  const firstPage = await client.page('GET /overview', { query });
  async function* pages(): AsyncGenerator<Overview> {
    let page = firstPage;
    for (;;) {
      yield page.data;
      const cursor = page.pagination.nextCursor;
      if (cursor === null) return;
      page = await client.page('GET /overview', { query: { ...query, cursor } });
    }
  }
  return { first: firstPage.data, pages: pages() };
};

async function* projectsOf(pages: AsyncIterable<Overview>): AsyncGenerator<Project> {
  for await (const { projects } of pages) yield* projects;
}
