/** `bms status`: whether everything is protected now. */
import type { Command } from 'commander';
import type { DataOf } from '../../../shared/client/index.ts';
import { escapeOutput } from '../../archive/escape-output.ts';
import { CliFailure } from '../base/cli-failure.ts';
import { defineCommand } from '../base/define-command.ts';
import { exitCodes } from '../base/exit-codes.ts';
import type { Action } from '../context/context.ts';
import { formatBytes, formatCount, formatCounted, formatDuration, formatMinute } from '../output/format.ts';
import { statusStyle } from '../output/status-style.ts';
import { waitWords } from '../output/wait-words.ts';

type Project = DataOf<'GET /overview'>['projects'][number];

export const addStatusCommand = (program: Command, action: Action): void => {
  defineCommand(program, {
    name: 'status',
    aliases: ['overview'],
    summary: 'Show whether each project is protected, and what needs attention',
    examples: ['bms status', 'bms status --check || notify', 'bms status --json'],
  })
    .option('--check', 'exit with 1 unless every project is protected')
    .action(
      action(async ({ client: open, output }, { check }: { readonly check?: boolean }) => {
        const overview = await (await open()).request('GET /overview');
        const { totals, projects, attention } = overview;
        if (output.isJson) output.json(overview);
        else if (output.isQuiet) for (const { id, protection } of projects) output.line(`${id} ${protection}`);
        else {
          const columns = [
            { title: 'PROJECT', value: ({ name }: Project) => name, flexible: true },
            {
              title: 'PROTECTION',
              value: ({ protection }: Project) => protection,
              style: ({ protection }: Project) => statusStyle(protection),
            },
            {
              title: 'LAST GOOD BACKUP',
              value: ({ lastGoodBackup }: Project) =>
                lastGoodBackup && `${formatDuration(lastGoodBackup.ageSeconds * 1_000)} ago`,
            },
            { title: 'NEXT RUN (UTC)', value: ({ nextRun }: Project) => formatMinute(nextRun?.at), optional: 2 },
            {
              title: 'RUNNING',
              value: ({ runningJobs }: Project) =>
                runningJobs
                  .map(({ kind, percent, waitingFor }) =>
                    waitingFor ? `${kind} waits for ${waitWords[waitingFor.reason]}` : `${kind} ${percent} %`,
                  )
                  .join(', '),
              flexible: true,
              optional: 1,
            },
          ];
          if (projects.length === 0) output.note('No projects yet: bms projects connect <id of the Google Cloud project>');
          else output.table(projects, columns);
          if (projects.length < totals.projects)
            output.note(`The ${formatCount(projects.length)} newest of ${formatCount(totals.projects)} projects`);
          for (const { severity, message } of attention)
            output.line(output.terminal.paint(statusStyle(severity) ?? 'reset', escapeOutput(`${severity}: ${message}`)));
          output.line(`${formatCounted(totals.backups, 'backup')}, ${formatBytes(totals.storedBytes)} stored`);
        }
        const problem = check ? problemOf(overview) : undefined;
        if (problem !== undefined) throw new CliFailure(exitCodes.failed, problem);
      }),
    );
};

/** Why not every project is known to be protected. */
const problemOf = ({ totals, projects }: DataOf<'GET /overview'>): string | undefined => {
  const exposed = totals.atRisk + totals.unprotected;
  const unchecked = totals.projects - projects.length;
  const checked =
    unchecked > 0 ? `the ${formatCount(projects.length)} newest projects` : formatCounted(projects.length, 'project');
  if (exposed > 0) return `${formatCount(exposed)} of ${checked} not protected`;
  return unchecked > 0 ? `${formatCounted(unchecked, 'older project')} not checked` : undefined;
};
