/** `bms keys`: API keys for pipelines and tools. */
import type { Command } from 'commander';
import { type DataOf, grantorChange, type InputOf } from '../../../../shared/client/index.ts';
import { apiKeyRoles, type ChoiceOf } from '../../base/choices.ts';
import { refuseIfUnchanged } from '../../base/cli-failure.ts';
import { defineCommand, defineGroup } from '../../base/define-command.ts';
import { choiceOption, parseMoment, parseNames, parseWhole } from '../../base/parse-values.ts';
import type { Action } from '../../context/context.ts';
import { findProjectIds, findRecordId } from '../../context/find-resource.ts';
import { resourceCommands } from '../../context/resource-commands.ts';
import { formatMinute, formatTime } from '../../output/format.ts';
import type { Detail } from '../../output/output.ts';
import { statusStyle } from '../../output/status-style.ts';
import { fieldOf, summaryOf } from '../../texts/contract-text.ts';

type ApiKey = DataOf<'GET /organizations/current/api-keys/{apiKeyId}'>;
type Permissions = InputOf<'POST /organizations/current/api-keys'>['body']['permissions'];

interface KeyOptions {
  readonly role?: ChoiceOf<typeof apiKeyRoles> | undefined;
  /** Checked by the service, which names the allowed ones. */
  readonly permissions?: Permissions | undefined;
  readonly projects?: readonly string[] | undefined;
  readonly from?: readonly string[] | undefined;
  readonly expires?: string | undefined;
}

interface ChangeOptions extends KeyOptions {
  readonly name?: string | undefined;
  readonly allProjects?: true | undefined;
  readonly fromAnywhere?: true | undefined;
}

interface RotateOptions extends Pick<KeyOptions, 'expires'> {
  readonly overlapHours?: number | undefined;
}

/** An id would be of no use without the key, which is never shown again. */
const keyAlone = '--quiet prints only the key.';
const expiresOption = ['--expires <time>', 'when it expires, such as 2026-12-31 or 30d; at most 365 days'] as const;

const addKeyOptions = (command: Command, { isNew }: { readonly isNew: boolean }): Command => {
  if (!isNew) command.option('--name <name>', 'a new name');
  command
    .addOption(choiceOption('--role <role>', isNew ? 'what it can do at most; default: viewer' : 'a new role', apiKeyRoles))
    .option(
      '--permissions <scopes>',
      `scopes such as backups:read, separated by commas${isNew ? '; default: all that read' : ''}`,
      parseNames,
    )
    .option('--projects <projects>', 'only these, separated by commas', parseNames)
    .option('--from <addresses>', 'only from these IP addresses or CIDR ranges, separated by commas', parseNames);
  if (!isNew) command.option('--all-projects', 'all projects').option('--from-anywhere', 'from any address');
  return command.option(expiresOption[0], `${expiresOption[1]}${isNew ? '; default: in 90 days' : ''}`, parseExpiry);
};

/** A moment, or a number of days from now. */
const parseExpiry = (text: string): string => {
  const days = /^(\d{1,3})d$/.exec(text)?.[1];
  // A minute earlier, so that a clock that is ahead does not exceed the longest life.
  return days === undefined ? parseMoment(text) : new Date(Date.now() + Number(days) * 86_400_000 - 60_000).toISOString();
};

export const addApiKeyCommands = (program: Command, action: Action): void => {
  const group = defineGroup(program, {
    name: 'keys',
    aliases: ['key', 'api-keys'],
    summary: 'Create, change and rotate API keys for pipelines',
    description:
      'A key does what its role and its permissions both allow, on its projects, from its addresses, until it expires. ' +
      'Needs the role admin; keys themselves are refused.',
    examples: [
      'bms keys ls',
      'bms keys create Deploy --role member --permissions backups:read,backups:write --projects shop --quiet',
      'bms keys rotate Deploy --overlap-hours 24',
    ],
  });

  const { addList, addShow, addRemove } = resourceCommands({ name: 'apiKey', sample: 'Deploy', group, action });
  addList({
    columns: [
      { title: 'KEY', value: ({ id }) => id },
      { title: 'NAME', value: ({ name }) => name, flexible: true },
      { title: 'ROLE', value: ({ role }) => role },
      { title: 'PERMISSIONS', value: ({ permissions }) => permissions.join(', '), flexible: true, optional: 2 },
      { title: 'PROJECTS', value: ({ projectIds }) => (projectIds ? String(projectIds.length) : 'all'), optional: 3 },
      { title: 'LAST USED', value: ({ lastUsedAt }) => formatMinute(lastUsedAt), optional: 1 },
      {
        title: 'GRANTED BY',
        value: ({ grantedBy }) => personWords(grantedBy),
        style: ({ grantedBy }) => (grantorChange(grantedBy) ? 'yellow' : undefined),
        flexible: true,
        optional: 4,
      },
      { title: 'EXPIRES', value: ({ expiresAt }) => formatMinute(expiresAt) },
      { title: 'STATUS', value: ({ status }) => status, style: ({ status }) => statusStyle(status) },
    ],
    empty: 'No API keys',
  });
  addShow(keyDetails);

  addKeyOptions(
    defineCommand(group, {
      name: 'create <name>',
      summary: summaryOf('POST /organizations/current/api-keys'),
      description: keyAlone,
      examples: [
        'bms keys create Monitoring',
        'bms keys create Deploy --role member --permissions backups:read,backups:write --projects shop --expires 30d',
      ],
    }),
    { isNew: true },
  ).action(
    action(async ({ client: open, output }, { role, permissions, projects, from, expires }: KeyOptions, [name = '']) => {
      const client = await open();
      const projectIds = projects && (await findProjectIds(client, projects));
      const body = { name, role, permissions, projectIds, allowedAddresses: from, expiresAt: expires };
      const key = await client.request('POST /organizations/current/api-keys', { body });
      output.show(key, key.apiKey, keyDetails(key));
    }),
  );

  addKeyOptions(
    defineCommand(group, {
      name: 'change <key>',
      aliases: ['update'],
      summary: summaryOf('PATCH /organizations/current/api-keys/{apiKeyId}'),
      examples: ['bms keys change Deploy --role viewer', 'bms keys change Deploy --expires 90d --all-projects'],
    }),
    { isNew: false },
  ).action(
    action(async ({ client: open, output }, options: ChangeOptions, [wanted = '']) => {
      const { name, role, permissions, projects, allProjects, from, fromAnywhere, expires } = options;
      refuseIfUnchanged({ ...options });
      const client = await open();
      const apiKeyId = await findRecordId(client, 'apiKey', wanted);
      const projectIds = allProjects ? null : projects && (await findProjectIds(client, projects));
      const allowedAddresses = fromAnywhere ? null : from;
      const body = { name, role, permissions, projectIds, allowedAddresses, expiresAt: expires };
      const key = await client.request('PATCH /organizations/current/api-keys/{apiKeyId}', { params: { apiKeyId }, body });
      output.show(key, key.id, keyDetails(key));
    }),
  );

  defineCommand(group, {
    name: 'rotate <key>',
    summary: summaryOf('POST /organizations/current/api-keys/{apiKeyId}/rotate'),
    description: `It lives as long as the old one was meant to. ${keyAlone}`,
    examples: ['bms keys rotate Deploy', 'bms keys rotate Deploy --overlap-hours 0'],
  })
    .option(
      '--overlap-hours <hours>',
      fieldOf('POST /organizations/current/api-keys/{apiKeyId}/rotate', 'overlapHours'),
      parseWhole,
    )
    .option(...expiresOption, parseExpiry)
    .action(
      action(async ({ client: open, output }, { overlapHours, expires }: RotateOptions, [wanted = '']) => {
        const client = await open();
        const apiKeyId = await findRecordId(client, 'apiKey', wanted);
        const route = 'POST /organizations/current/api-keys/{apiKeyId}/rotate';
        const key = await client.request(route, { params: { apiKeyId }, body: { overlapHours, expiresAt: expires } });
        output.show(key, key.apiKey, keyDetails(key));
      }),
    );

  addRemove({ consequence: 'It stops working at once.' });
};

const keyDetails = (key: ApiKey & { readonly apiKey?: string }): readonly Detail[] => [
  ['API key', key.id],
  ['Name', key.name],
  ['Status', key.status, statusStyle(key.status)],
  ['Key', key.apiKey],
  ['Role', key.role],
  ['Permissions', key.permissions.join(', ')],
  ['Projects', key.projectIds?.join(', ') ?? 'all'],
  ['From', key.allowedAddresses?.join(', ') ?? 'anywhere'],
  ['Expires', formatTime(key.expiresAt)],
  ['Old key until', formatTime(key.previousKeyExpiresAt)],
  ['Last used', formatTime(key.lastUsedAt)],
  ['Created', formatTime(key.createdAt)],
  ['Created by', personWords(key.createdBy)],
  ['Granted by', personWords(key.grantedBy)],
];

const personWords = (person: ApiKey['grantedBy']): string => grantorChange(person) ?? person.email ?? person.id;
