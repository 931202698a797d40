/** `bms projects`: the connected databases. */
import type { Command } from 'commander';
import type { Client } from '../../../shared/client/index.ts';
import { defineCommand, defineGroup } from '../base/define-command.ts';
import type { Action } from '../context/context.ts';
import { findRecord, findRecordId, type Project } from '../context/find-resource.ts';
import { readGoogleKey } from '../context/read-google-key.ts';
import { resourceCommands } from '../context/resource-commands.ts';
import { printWorkloadIdentitySetup, type WorkloadIdentityOptions, workloadIdentityOf } from '../context/workload-identity.ts';
import { formatMinute, formatTime } from '../output/format.ts';
import type { Detail, Output } from '../output/output.ts';
import { statusStyle } from '../output/status-style.ts';
import { fieldOf, summaryOf } from '../texts/contract-text.ts';
import { addProjectChangeCommands } from './project-change-commands.ts';
import { addProjectReadsCommand } from './project-reads-command.ts';

interface ConnectOptions extends WorkloadIdentityOptions {
  readonly name?: string | undefined;
  readonly database?: string | undefined;
  readonly storage?: string | undefined;
  readonly keyFile?: string | undefined;
}

const addAccessOptions = (command: Command): Command =>
  command
    .option('--key-file <file>', 'the JSON key of a Google service account')
    .option('--workload-identity [number]', 'without a key: the project number, or the full name of the pool provider')
    .option('--service-account <email>', fieldOf('POST /projects', 'workloadIdentity.serviceAccountEmail'))
    .option('--role <role>', 'of the printed commands; roles/datastore.user for restores (default: roles/datastore.viewer)');

export const addProjectCommands = (program: Command, action: Action): void => {
  const group = defineGroup(program, {
    name: 'projects',
    aliases: ['project'],
    summary: 'List, connect, change and disconnect projects',
    examples: ['bms projects ls', 'bms projects connect my-project --name Shop'],
  });

  const { addList, addShow, addRemove } = resourceCommands({ name: 'project', sample: 'shop', group, action });
  addList({
    examples: ['bms projects ls', 'bms projects ls --json'],
    columns: [
      { title: 'PROJECT', value: ({ id }) => id },
      { title: 'NAME', value: ({ name }) => name, flexible: true },
      { title: 'SOURCE', value: ({ sourceProjectId }) => sourceProjectId, flexible: true, optional: 1 },
      { title: 'STATUS', value: ({ status }) => status, style: ({ status }) => statusStyle(status) },
      { title: 'LAST BACKUP', value: ({ lastBackupAt }) => formatMinute(lastBackupAt), optional: 2 },
    ],
    empty: 'No projects yet: bms projects connect <id of the Google Cloud project>',
  });
  addShow(projectDetails);

  addAccessOptions(
    defineCommand(group, {
      name: 'connect <source>',
      summary: summaryOf('POST /projects'),
      description:
        'Without further options it is connected with the grant of the signed-in user. --workload-identity alone prints the three gcloud commands that allow access without a key; with the project number it connects the project.',
      examples: [
        'bms projects connect my-project',
        'bms projects connect my-project --workload-identity',
        'bms projects connect my-project --workload-identity 123456789012',
        'bms projects connect my-project --name Shop --key-file key.json',
      ],
    })
      .option('--name <name>', 'default: the id of the Google Cloud project')
      .option('--database <id>', 'a named database (default: (default))')
      .option('--storage <storage>', 'the default storage destination of its backups'),
  ).action(
    action(async ({ client: open, output }, options: ConnectOptions, [sourceProjectId = '']) => {
      const client = await open();
      if (options.workloadIdentity === true) return printSetup(client, { output, sourceProjectId, options });
      const defaultStorageId = await findRecordId(client, 'storage', options.storage);
      const project = await client.request('POST /projects', {
        body: {
          name: options.name ?? sourceProjectId,
          sourceProjectId,
          databaseId: options.database,
          ...accessOf(options),
          settings: defaultStorageId === undefined ? undefined : { defaultStorageId },
        },
      });
      output.result(project, project.id, `Connected ${project.name} (${project.id})`);
    }),
  );

  addAccessOptions(
    defineCommand(group, {
      name: 'reconnect <project>',
      summary: summaryOf('POST /projects/{projectId}/reconnect'),
      examples: ['bms projects reconnect shop'],
    }),
  ).action(
    action(async ({ client: open, output }, options: ConnectOptions, [wanted = '']) => {
      const client = await open();
      const { id: projectId, sourceProjectId } = await findRecord(client, 'project', wanted);
      if (options.workloadIdentity === true) return printSetup(client, { output, sourceProjectId, options });
      const project = await client.request('POST /projects/{projectId}/reconnect', {
        params: { projectId },
        body: accessOf(options),
      });
      output.result(project, project.id, `Connected ${project.name} (${project.id})`);
    }),
  );
  addProjectReadsCommand(group, action);
  addProjectChangeCommands(group, action);
  addRemove({
    aliases: ['rm', 'disconnect'],
    examples: ['bms projects delete shop', 'bms projects delete shop --yes'],
    verb: 'Disconnect',
    consequence: 'Its backups are kept; its captured changes are deleted.',
  });
};

/** The ways to access a source that a request names. */
const accessOf = (options: ConnectOptions) => ({
  credentials: options.keyFile === undefined ? undefined : readGoogleKey(options.keyFile),
  workloadIdentity: workloadIdentityOf(options),
});

const printSetup = (
  client: Client,
  {
    output,
    sourceProjectId,
    options,
  }: { readonly output: Output; readonly sourceProjectId: string; readonly options: ConnectOptions },
): Promise<void> =>
  printWorkloadIdentitySetup({ sourceProjectId }, options, { client, output, next: `bms projects connect ${sourceProjectId}` });

const projectDetails = (project: Project): readonly Detail[] => [
  ['Project', project.id],
  ['Name', project.name],
  ['Source', `${project.sourceProjectId}, database ${project.databaseId}`],
  [
    'Labels',
    Object.entries(project.labels)
      .map(([key, value]) => `${key}=${value}`)
      .join(', '),
  ],
  ['Status', project.status, statusStyle(project.status)],
  ['Connected by', project.connection.email || project.connection.audience || project.connection.type],
  ['Point in time', project.pitr.enabled ? `enabled, ${project.pitr.retentionDays} days` : 'disabled'],
  ['Storage', project.settings.defaultStorageId ?? 'that of the organization'],
  ['Timeout', `${project.settings.backupTimeoutMinutes} min`],
  ['Last backup', formatTime(project.lastBackupAt)],
  ['Created', formatTime(project.createdAt)],
];
