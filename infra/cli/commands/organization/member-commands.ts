/** `bms members`: who belongs to the organization, and with which role. */
import { Argument, type Command } from 'commander';
import type { Client, DataOf } from '../../../../shared/client/index.ts';
import { type ChoiceOf, memberRoles } from '../../base/choices.ts';
import { CliFailure } from '../../base/cli-failure.ts';
import { collectAll } from '../../base/collect-all.ts';
import { defineCommand, defineGroup, defineList } from '../../base/define-command.ts';
import { exitCodes } from '../../base/exit-codes.ts';
import { matchName } from '../../base/match-name.ts';
import type { Action } from '../../context/context.ts';
import { askYesNo } from '../../output/ask.ts';
import { formatMinute } from '../../output/format.ts';
import type { Column } from '../../output/render-table.ts';
import { summaryOf } from '../../texts/contract-text.ts';

type Member = DataOf<'GET /organizations/current/members'>[number];

interface YesOption {
  readonly yes?: boolean | undefined;
}

export const memberColumns: readonly Column<Member>[] = [
  { title: 'USER', value: ({ userId }) => userId },
  { title: 'E-MAIL', value: ({ email }) => email, flexible: true },
  { title: 'ROLE', value: ({ role }) => role },
  { title: 'LAST ACTIVE (UTC)', value: ({ lastActiveAt }) => formatMinute(lastActiveAt), optional: 1 },
];

export const addMemberCommands = (program: Command, action: Action): void => {
  const group = defineGroup(program, {
    name: 'members',
    aliases: ['member'],
    summary: 'List and remove members, and change their roles',
    description: 'A member is named by the user id, the e-mail address or the name. Needs the role admin; API keys are refused.',
    examples: ['bms members ls', 'bms members role grace@example.com viewer', 'bms members remove grace@example.com'],
  });

  defineList(group, { summary: summaryOf('GET /organizations/current/members'), examples: ['bms members ls'] }).action(
    action(async ({ client: open, output }) => {
      const found = await collectAll((await open()).list('GET /organizations/current/members', { query: { limit: 100 } }));
      output.list<Member>(found, { columns: memberColumns, idOf: ({ userId }) => userId, empty: 'No members' });
    }),
  );

  defineCommand(group, {
    name: 'role <member>',
    summary: summaryOf('PUT /organizations/current/members/{userId}'),
    description: 'The owner transfers the organization by making another member the owner, and becomes an admin.',
    examples: ['bms members role grace@example.com admin', 'bms members role grace@example.com owner --yes'],
  })
    .addArgument(new Argument('<role>', 'the new role').choices(Object.keys(memberRoles)))
    .option('-y, --yes', 'do not ask before ownership is transferred')
    .action(
      action(async (context, { yes }: YesOption, [wanted = '', role = '']) => {
        const client = await context.client();
        const { userId, email } = await findMember(client, wanted);
        const question = `Make ${email} the owner? You become an admin.`;
        if (role === 'owner' && !yes && !(await askYesNo(context, question)))
          throw new CliFailure(exitCodes.failed, 'nothing was changed');
        const body = { role: role as ChoiceOf<typeof memberRoles> };
        const changed = await client.request('PUT /organizations/current/members/{userId}', { params: { userId }, body });
        context.output.result(changed, userId, `${email} is ${changed.role} now`);
      }),
    );

  defineCommand(group, {
    name: 'remove <member>',
    aliases: ['rm', 'delete'],
    summary: summaryOf('DELETE /organizations/current/members/{userId}'),
    description: 'Projects connected with their Google grant become unauthorized; an API key they created ends.',
    examples: ['bms members remove grace@example.com --yes'],
  })
    .option('-y, --yes', 'do not ask')
    .action(
      action(async (context, { yes }: YesOption, [wanted = '']) => {
        const client = await context.client();
        const { userId, email } = await findMember(client, wanted);
        if (!yes && !(await askYesNo(context, `Remove ${email} (${userId}) from the organization?`)))
          throw new CliFailure(exitCodes.failed, 'nothing was removed');
        const result = await client.request('DELETE /organizations/current/members/{userId}', { params: { userId } });
        context.output.result(result, userId, `Removed ${email} (${userId})`);
      }),
    );
};

const findMember = async (client: Client, wanted: string): Promise<Member> => {
  const found = await collectAll(client.list('GET /organizations/current/members', { query: { limit: 100 } }));
  return matchName('member', { wanted, found, namedOf: ({ userId, email, name }) => ({ id: userId, names: [email, name] }) });
};
