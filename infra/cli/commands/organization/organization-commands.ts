/** `bms orgs`: the organizations of the user. */
import type { Command } from 'commander';
import { ApiFailure, type DataOf, untilJobsStop } from '../../../../shared/client/index.ts';
import { badInput, CliFailure, cliFailureOf, refuseIfUnchanged } from '../../base/cli-failure.ts';
import { collectAll } from '../../base/collect-all.ts';
import { defineCommand, defineGroup, defineList } from '../../base/define-command.ts';
import { exitCodes } from '../../base/exit-codes.ts';
import { matchName } from '../../base/match-name.ts';
import { matchOrganization } from '../../config/open-session.ts';
import type { Action } from '../../context/context.ts';
import { findRecordId } from '../../context/find-resource.ts';
import { chooseOrganization, mustChooseOrganization } from '../../context/store-profile.ts';
import { askYesNo } from '../../output/ask.ts';
import { formatCount, formatCounted, formatMinute } from '../../output/format.ts';
import { fieldOf, summaryOf } from '../../texts/contract-text.ts';

type Organization = DataOf<'GET /organizations'>[number];
type Received = DataOf<'GET /invitations'>[number];

interface UpdateOptions {
  readonly name?: string | undefined;
  readonly timezone?: string | undefined;
  /** False: none. */
  readonly storage?: string | false | undefined;
}

export const addOrganizationCommands = (program: Command, action: Action): void => {
  const group = defineGroup(program, {
    name: 'orgs',
    aliases: ['org', 'organizations'],
    summary: 'List, choose and change organizations',
    examples: ['bms orgs ls', 'bms orgs use "Analytical Engines"'],
  });

  defineList(group, { summary: summaryOf('GET /organizations'), examples: ['bms orgs ls'] }).action(
    action(async ({ session, output }) => {
      const { anywhere, organizationId } = session();
      const found = await collectAll(anywhere.list('GET /organizations'));
      const current = found.length === 0 ? undefined : await organizationId().catch(() => undefined);
      output.list<Organization>(found, {
        columns: [
          { title: '', value: ({ id }) => (id === current ? '*' : ' ') },
          { title: 'ORGANIZATION', value: ({ id }) => id },
          { title: 'NAME', value: ({ name }) => name, flexible: true },
          { title: 'ROLE', value: ({ role }) => role },
          { title: 'PROJECTS', value: ({ projectCount }) => formatCount(projectCount), align: 'right', optional: 1 },
        ],
        idOf: ({ id }) => id,
        empty: 'You do not belong to an organization yet: bms orgs create <name>, or bms orgs invitations',
      });
    }),
  );

  defineCommand(group, {
    name: 'use <organization>',
    summary: 'Choose the organization of the following commands',
    examples: ['bms orgs use "Analytical Engines"', 'bms orgs use analytical-engines'],
  }).action(
    action(async (context, _, [wanted = '']) => {
      const found = await collectAll(context.session().anywhere.list('GET /organizations'));
      const organization = matchOrganization(found, wanted);
      await mustChooseOrganization(context, organization.id);
      context.output.result(organization, organization.id, `Using ${organization.name} (${organization.id})`);
    }),
  );

  defineCommand(group, {
    name: 'create <name>',
    summary: 'Create an organization and use it',
    examples: ['bms orgs create "Analytical Engines"'],
  })
    .option('--slug <slug>', 'its name in addresses; default: made from the name')
    .action(
      action(async (context, { slug }: { readonly slug?: string }, [name = '']) => {
        const created = await context.session().anywhere.request('POST /organizations', { body: { name, slug } });
        const use = (await chooseOrganization(context, created.id)) ? ', which the following commands use' : '';
        context.output.result(created, created.id, `Created ${created.name} (${created.id})${use}`);
      }),
    );

  defineCommand(group, {
    name: 'invitations',
    summary: summaryOf('GET /invitations'),
    description: 'Those of your e-mail address, if the identity provider has verified it. bms orgs join accepts one.',
    examples: ['bms orgs invitations'],
  }).action(
    action(async ({ session, output }) => {
      output.list<Received>(await collectAll(session().anywhere.list('GET /invitations')), {
        columns: [
          { title: 'ORGANIZATION', value: ({ organization: { id } }) => id },
          { title: 'NAME', value: ({ organization: { name } }) => name, flexible: true },
          { title: 'ROLE', value: ({ role }) => role },
          { title: 'INVITED BY', value: ({ invitedBy: { email } }) => email, flexible: true, optional: 1 },
          { title: 'EXPIRES (UTC)', value: ({ expiresAt }) => formatMinute(expiresAt), optional: 2 },
        ],
        idOf: ({ organization: { id } }) => id,
        empty: 'No organization invites you',
      });
    }),
  );

  defineCommand(group, {
    name: 'join <organization>',
    summary: 'Accept an invitation to an organization and use it',
    examples: ['bms orgs join "Analytical Engines"'],
  }).action(
    action(async (context, _, [wanted = '']) => {
      const { anywhere } = context.session();
      const found = await collectAll(anywhere.list('GET /invitations'));
      const { token } = matchName('invitation', {
        wanted,
        found,
        namedOf: ({ organization: { id, name } }) => ({ id, names: [name] }),
      });
      const joined = await anywhere.request('POST /invitations/{token}/accept', { params: { token } });
      const { id, name } = joined.organization;
      const use = (await chooseOrganization(context, id)) ? '; the following commands use it' : '';
      context.output.result(joined, id, `Joined ${name} (${id}) as ${joined.role}${use}`);
    }),
  );

  defineCommand(group, {
    name: 'update',
    summary: summaryOf('PUT /organizations/current'),
    examples: ['bms orgs update --name "Analytical Engines"', 'bms orgs update --timezone Europe/Berlin --storage Archive'],
  })
    .option('--name <name>', 'a new name')
    .option('--timezone <zone>', fieldOf('PUT /organizations/current', 'settings.timezone'))
    .option('--storage <storage>', 'the default storage destination of backups')
    .option('--no-storage', 'no default storage destination')
    .action(
      action(async (context, { name, timezone, storage }: UpdateOptions) => {
        refuseIfUnchanged({ name, timezone, storage });
        const client = await context.client();
        const defaultStorageId = storage === false ? null : await findRecordId(client, 'storage', storage);
        const isSet = timezone !== undefined || defaultStorageId !== undefined;
        const body = { name, settings: isSet ? { timezone, defaultStorageId } : undefined };
        const changed = await client.request('PUT /organizations/current', { body });
        context.output.result(changed, changed.id, `Updated ${changed.name} (${changed.id})`);
      }),
    );

  defineCommand(group, {
    name: 'delete <name>',
    aliases: ['rm'],
    summary: summaryOf('POST /organizations/current/delete'),
    description:
      'The complete name confirms it. Only the owner can; bms orgs recover takes it back. It is refused while jobs run, unless --cancel-jobs is given.',
    examples: ['bms orgs delete "Analytical Engines"', 'bms orgs delete "Analytical Engines" --cancel-jobs'],
  })
    .option('-y, --yes', 'do not ask')
    .option('--cancel-jobs', fieldOf('POST /organizations/current/delete', 'cancelJobs'))
    .action(
      action(
        async (context, { yes, cancelJobs }: { readonly yes?: boolean; readonly cancelJobs?: boolean }, [confirmName = '']) => {
          const client = await context.client();
          const { id, name } = await client.request('GET /organizations/current');
          if (confirmName !== name) throw badInput(`the organization is named ${name}; its complete name confirms the deletion`);
          const question = `Delete ${name} (${id})? Its backups and captures stop.`;
          if (!yes && !(await askYesNo(context, question))) throw new CliFailure(exitCodes.failed, 'nothing was deleted');
          const body = { confirmName, ...(cancelJobs && { cancelJobs }) };
          const remove = () => client.request('POST /organizations/current/delete', { body });
          const result = await (cancelJobs ? untilJobsStop(remove) : remove().catch(adviseCancelling));
          const cancelled = (result.cancelledJobs ?? []).map(describeJob).join('');
          context.output.result(result, id, `Deleted ${name} (${id}); bms orgs recover ${id} takes it back${cancelled}`);
        },
      ),
    );

  defineCommand(group, {
    name: 'recover <id>',
    summary: summaryOf('POST /organizations/{id}/recover'),
    examples: ['bms orgs recover org_01JZ8Q4V0M6T3X9C2B7N5K1HRD'],
  }).action(
    action(async (context, _, [id = '']) => {
      const recovered = await context.session().anywhere.request('POST /organizations/{id}/recover', { params: { id } });
      context.output.result(recovered, recovered.id, `Recovered ${recovered.name} (${recovered.id})`);
    }),
  );
};

const adviseCancelling = (error: unknown): never => {
  if (!(error instanceof ApiFailure) || error.code !== 'JOB_IN_PROGRESS') throw error;
  const { exitCode, message } = cliFailureOf(error);
  throw new CliFailure(exitCode, `${message}; add --cancel-jobs to cancel them first`, { cause: error });
};

type CancelledJob = NonNullable<DataOf<'POST /organizations/current/delete'>['cancelledJobs']>[number];

const describeJob = ({ kind, id, status, documentsWritten }: CancelledJob): string => {
  const written = documentsWritten > 0 ? `, ${formatCounted(documentsWritten, 'document')} written` : '';
  const undo = kind === 'restore' && documentsWritten > 0 ? `; after a recovery, bms undo ${id} takes it back` : '';
  return `\n${kind} ${id}: ${status}${written}${undo}`;
};
