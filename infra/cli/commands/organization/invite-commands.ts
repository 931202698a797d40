/** `bms invites`: pending invitations to the organization. */
import type { Command } from 'commander';
import type { Client, DataOf } from '../../../../shared/client/index.ts';
import { type ChoiceOf, invitableRoles } from '../../base/choices.ts';
import { collectAll } from '../../base/collect-all.ts';
import { defineCommand, defineGroup, defineList } from '../../base/define-command.ts';
import { matchName } from '../../base/match-name.ts';
import { choiceOption } from '../../base/parse-values.ts';
import type { Action } from '../../context/context.ts';
import { formatMinute, formatTime } from '../../output/format.ts';
import type { Column } from '../../output/render-table.ts';
import { summaryOf } from '../../texts/contract-text.ts';

type Invite = DataOf<'GET /organizations/current/invites'>[number];

interface CreateOptions {
  readonly role?: ChoiceOf<typeof invitableRoles> | undefined;
}

export const inviteColumns: readonly Column<Invite>[] = [
  { title: 'INVITATION', value: ({ id }) => id },
  { title: 'E-MAIL', value: ({ email }) => email, flexible: true },
  { title: 'ROLE', value: ({ role }) => role },
  { title: 'EXPIRES (UTC)', value: ({ expiresAt }) => formatMinute(expiresAt), optional: 1 },
];

export const addInviteCommands = (program: Command, action: Action): void => {
  const group = defineGroup(program, {
    name: 'invites',
    aliases: ['invite', 'invitations'],
    summary: 'Invite people, and see, resend and cancel invitations',
    description: 'An invitation is named by its id or by the e-mail address. Needs the role admin; API keys are refused.',
    examples: ['bms invites ls', 'bms invites create grace@example.com --role admin', 'bms invites cancel grace@example.com'],
  });

  defineList(group, { summary: summaryOf('GET /organizations/current/invites'), examples: ['bms invites ls'] }).action(
    action(async ({ client: open, output }) => {
      const found = await collectAll((await open()).list('GET /organizations/current/invites', { query: { limit: 100 } }));
      output.list<Invite>(found, { columns: inviteColumns, idOf: ({ id }) => id, empty: 'No pending invitations' });
    }),
  );

  defineCommand(group, {
    name: 'create <email>',
    summary: summaryOf('POST /organizations/current/invites'),
    description: 'The link of the e-mail is shown, too: only the invited address can accept it.',
    examples: ['bms invites create grace@example.com', 'bms invites create grace@example.com --role viewer'],
  })
    .addOption(choiceOption('--role <role>', 'default: member', invitableRoles))
    .action(
      action(async ({ client: open, output }, { role }: CreateOptions, [email = '']) => {
        const invite = await (await open()).request('POST /organizations/current/invites', { body: { email, role } });
        output.show(invite, invite.id, [
          ['Invitation', invite.id],
          ['E-mail', invite.email],
          ['Role', invite.role],
          ['Link', invite.acceptUrl],
          ['Expires', formatTime(invite.expiresAt)],
        ]);
      }),
    );

  defineCommand(group, {
    name: 'resend <invitation>',
    summary: summaryOf('POST /organizations/current/invites/{inviteId}/resend'),
    examples: ['bms invites resend grace@example.com'],
  }).action(
    action(async ({ client: open, output }, _, [wanted = '']) => {
      const client = await open();
      const { id: inviteId } = await findInvite(client, wanted);
      const invite = await client.request('POST /organizations/current/invites/{inviteId}/resend', { params: { inviteId } });
      output.show(invite, inviteId, [
        ['Invitation', inviteId],
        ['E-mail', invite.email],
        ['Link', invite.acceptUrl],
        ['Expires', formatTime(invite.expiresAt)],
      ]);
    }),
  );

  defineCommand(group, {
    name: 'cancel <invitation>',
    aliases: ['rm', 'delete'],
    summary: summaryOf('DELETE /organizations/current/invites/{inviteId}'),
    examples: ['bms invites cancel grace@example.com'],
  }).action(
    action(async ({ client: open, output }, _, [wanted = '']) => {
      const client = await open();
      const { id: inviteId, email } = await findInvite(client, wanted);
      const result = await client.request('DELETE /organizations/current/invites/{inviteId}', { params: { inviteId } });
      output.result(result, inviteId, `Cancelled the invitation of ${email} (${inviteId})`);
    }),
  );
};

const findInvite = async (client: Client, wanted: string): Promise<Invite> => {
  const found = await collectAll(client.list('GET /organizations/current/invites', { query: { limit: 100 } }));
  return matchName('pending invitation', { wanted, found, namedOf: ({ id, email }) => ({ id, names: [email] }) });
};
