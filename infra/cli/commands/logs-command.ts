/** `bms logs`: what happened to a job, and when. */
import type { Command } from 'commander';
import type { DataOf } from '../../../shared/client/index.ts';
import { defineCommand } from '../base/define-command.ts';
import type { Action } from '../context/context.ts';
import { findBackupId, findRecordId, findRestoreId, type OfProject } from '../context/find-resource.ts';
import { formatTime } from '../output/format.ts';
import { waitWords } from '../output/wait-words.ts';

type Entry = DataOf<'GET /backups/{backupId}/timeline'>['entries'][number];

export const addLogsCommand = (program: Command, action: Action): void => {
  defineCommand(program, {
    name: 'logs <job>',
    summary: 'Show what happened to a backup or restore: phases, waits, failed attempts, and how it ended',
    description: 'The job is the id of a backup or a restore, or `latest` for the latest backup.',
    examples: ['bms logs latest', 'bms logs rst_01JB0000000000000000000000', 'bms logs latest --json'],
  }).action(
    action(async ({ client: open, output }, ofProject: OfProject, [wanted = '']) => {
      const client = await open();
      const { entries } = wanted.startsWith('rst_')
        ? await client.request('GET /backups/restore/{restoreJobId}/timeline', {
            params: { restoreJobId: await findRestoreId(client, wanted, ofProject) },
          })
        : await client.request('GET /backups/{backupId}/timeline', {
            params: { backupId: await findBackupId(client, wanted, await findRecordId(client, 'project', ofProject.project)) },
          });
      output.list(entries, {
        columns: [
          { title: 'TIME (UTC)', value: ({ at }: Entry) => formatTime(at) },
          { title: 'WHAT', value: whatHappened },
          { title: 'DETAILS', value: ({ message }: Entry) => message ?? '', flexible: true },
        ],
        idOf: ({ at, kind }) => `${at} ${kind}`,
        empty: 'Nothing has happened yet',
      });
    }),
  );
};

const whatHappened = ({ kind, phase, reason, status }: Entry): string => {
  if (kind === 'phase') return (phase ?? '').toLowerCase();
  if (kind === 'waiting') return `waits for ${reason ? waitWords[reason] : 'another job'}`;
  if (kind === 'ended') return status ?? 'ended';
  return kind.replace('_', ' ');
};
