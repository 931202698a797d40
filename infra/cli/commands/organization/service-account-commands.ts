/** `bms service-account`: the API key of the organization. */
import type { Command } from 'commander';
import type { DataOf, InputOf } from '../../../../shared/client/index.ts';
import { CliFailure, refuseIfUnchanged } from '../../base/cli-failure.ts';
import { defineCommand, defineGroup } from '../../base/define-command.ts';
import { exitCodes } from '../../base/exit-codes.ts';
import { parseNames, parseWhole } from '../../base/parse-values.ts';
import type { Action } from '../../context/context.ts';
import { askYesNo } from '../../output/ask.ts';
import { formatTime } from '../../output/format.ts';
import type { Detail } from '../../output/output.ts';
import { statusStyle } from '../../output/status-style.ts';
import { fieldOf, summaryOf } from '../../texts/contract-text.ts';

type Account = DataOf<'GET /organizations/current/service-account'>;
type Permissions = InputOf<'POST /organizations/current/service-account'>['body']['permissions'];

interface ChangeOptions {
  readonly name?: string | undefined;
  /** Checked by the service, which names the allowed ones. */
  readonly permissions?: Permissions | undefined;
}

const scopeList = 'scopes such as backups:read, separated by commas';
/** An id would be of no use without the key, which is never shown again. */
const keyAlone = '--quiet prints only the key.';

export const addServiceAccountCommands = (program: Command, action: Action): void => {
  const group = defineGroup(program, {
    name: 'service-account',
    aliases: ['sa'],
    summary: 'Create, change and rotate the API key of the organization',
    description:
      'An organization has one service account. Needs the role admin; API keys themselves are refused. ' +
      'Erasing documents needs the scope erasures:write, which projects:write does not include.',
    examples: [
      'bms service-account show',
      'bms service-account create Pipeline --permissions backups:read,backups:write,projects:read',
      'bms service-account rotate --overlap-hours 24',
    ],
  });

  defineCommand(group, {
    name: 'show',
    aliases: ['get'],
    isDefault: true,
    summary: summaryOf('GET /organizations/current/service-account'),
    examples: ['bms service-account show'],
  }).action(
    action(async ({ client: open, output }) => {
      const account = await (await open()).request('GET /organizations/current/service-account');
      output.show(account, account.id, accountDetails(account));
    }),
  );

  defineCommand(group, {
    name: 'create <name>',
    summary: summaryOf('POST /organizations/current/service-account'),
    description: keyAlone,
    examples: [
      'bms service-account create Pipeline',
      'bms service-account create Pipeline --permissions backups:read,backups:write,projects:read',
    ],
  })
    .option('--permissions <scopes>', `${scopeList}; default: all that read`, parseNames)
    .action(
      action(async ({ client: open, output }, { permissions }: ChangeOptions, [name = '']) => {
        const body = { name, permissions };
        const account = await (await open()).request('POST /organizations/current/service-account', { body });
        output.show(account, account.apiKey, accountDetails(account));
      }),
    );

  defineCommand(group, {
    name: 'update',
    summary: summaryOf('PATCH /organizations/current/service-account'),
    examples: ['bms service-account update --permissions backups:read,projects:read'],
  })
    .option('--name <name>', 'a new name')
    .option('--permissions <scopes>', scopeList, parseNames)
    .action(
      action(async ({ client: open, output }, { name, permissions }: ChangeOptions) => {
        refuseIfUnchanged({ name, permissions });
        const body = { name, permissions };
        const account = await (await open()).request('PATCH /organizations/current/service-account', { body });
        output.show(account, account.id, accountDetails(account));
      }),
    );

  defineCommand(group, {
    name: 'rotate',
    aliases: ['rotate-key'],
    summary: summaryOf('POST /organizations/current/service-account/rotate-key'),
    description: keyAlone,
    examples: ['bms service-account rotate', 'bms service-account rotate --overlap-hours 0'],
  })
    .option(
      '--overlap-hours <hours>',
      fieldOf('POST /organizations/current/service-account/rotate-key', 'overlapHours'),
      parseWhole,
    )
    .action(
      action(async ({ client: open, output }, { overlapHours }: { readonly overlapHours?: number }) => {
        const route = 'POST /organizations/current/service-account/rotate-key';
        const account = await (await open()).request(route, { body: { overlapHours } });
        output.show(account, account.apiKey, accountDetails(account));
      }),
    );

  defineCommand(group, {
    name: 'take-over',
    summary: summaryOf('POST /organizations/current/service-account/take-over'),
    examples: ['bms service-account take-over'],
  }).action(
    action(async ({ client: open, output }) => {
      const account = await (await open()).request('POST /organizations/current/service-account/take-over', { body: {} });
      output.show(account, account.id, accountDetails(account));
    }),
  );

  defineCommand(group, {
    name: 'remove',
    aliases: ['rm', 'delete'],
    summary: summaryOf('DELETE /organizations/current/service-account'),
    examples: ['bms service-account remove --yes'],
  })
    .option('-y, --yes', 'do not ask')
    .action(
      action(async (context, { yes }: { readonly yes?: boolean }) => {
        const client = await context.client();
        const { id, name } = await client.request('GET /organizations/current/service-account');
        if (!yes && !(await askYesNo(context, `Delete the service account ${name} (${id})? Its key ends at once.`)))
          throw new CliFailure(exitCodes.failed, 'nothing was deleted');
        const result = await client.request('DELETE /organizations/current/service-account');
        context.output.result(result, id, `Deleted the service account ${name} (${id})`);
      }),
    );
};

type Shown = Pick<Account, 'id' | 'name' | 'permissions'> & Partial<Account & { readonly apiKey: string }>;

const accountDetails = (account: Shown): readonly Detail[] => [
  ['Service account', account.id],
  ['Name', account.name],
  ['Status', account.status, account.status && statusStyle(account.status)],
  ['Permissions', account.permissions.join(', ')],
  ['Key', account.apiKey],
  ['Old key until', formatTime(account.previousKeyExpiresAt)],
  ['Last used', formatTime(account.lastUsedAt)],
  ['Created', formatTime(account.createdAt)],
  ['Created by', account.createdBy],
];
