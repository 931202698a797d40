/** `bms sessions`: the browsers, devices and applications with which the person is signed in. */
import type { Command } from 'commander';
import type { Client, DataOf } from '../../../shared/client/index.ts';
import { CliFailure } from '../base/cli-failure.ts';
import { collectAll } from '../base/collect-all.ts';
import { defineCommand, defineGroup, defineList } from '../base/define-command.ts';
import { exitCodes } from '../base/exit-codes.ts';
import { matchName } from '../base/match-name.ts';
import type { Action } from '../context/context.ts';
import { askYesNo } from '../output/ask.ts';
import { formatCounted, formatMinute } from '../output/format.ts';
import type { Column } from '../output/render-table.ts';
import { summaryOf } from '../texts/contract-text.ts';

type Session = DataOf<'GET /auth/sessions'>[number];

interface RevokeAllOptions {
  readonly exceptCurrent: boolean;
  readonly yes?: boolean | undefined;
}

const columns: readonly Column<Session>[] = [
  { title: 'SIGN-IN', value: ({ id }) => id },
  { title: 'KIND', value: ({ kind, current }) => (current ? `${kind} (this one)` : kind) },
  { title: 'NAME', value: ({ name }) => name ?? '–', flexible: true },
  { title: 'LAST USED (UTC)', value: ({ lastUsedAt }) => formatMinute(lastUsedAt) },
  { title: 'FROM', value: ({ address, country }) => [country, address].filter(Boolean).join(' ') || '–', optional: 1 },
  { title: 'SIGNED IN (UTC)', value: ({ createdAt }) => formatMinute(createdAt), optional: 2 },
];

export const addSessionCommands = (program: Command, action: Action): void => {
  const group = defineGroup(program, {
    name: 'sessions',
    aliases: ['session'],
    summary: 'See and end your sign-ins: browsers, devices and applications',
    description: 'A sign-in is named by its id or by its name. They belong to a person, so API keys are refused.',
    examples: ['bms sessions ls', 'bms sessions revoke "bms on build-7"', 'bms sessions revoke-all'],
  });

  defineList(group, { summary: summaryOf('GET /auth/sessions'), examples: ['bms sessions ls'] }).action(
    action(async ({ session, output }) => {
      const found = await listSessions(session().anywhere);
      output.list<Session>(found, { columns, idOf: ({ id }) => id, empty: 'No sign-ins' });
    }),
  );

  defineCommand(group, {
    name: 'revoke <session>',
    aliases: ['end'],
    summary: summaryOf('DELETE /auth/sessions/{sessionId}'),
    examples: ['bms sessions revoke "bms on build-7"', 'bms sessions revoke ses_01JZ8Q4V0M6T3X9C2B7N5K1HRD'],
  }).action(
    action(async ({ session, output }, _, [wanted = '']) => {
      const client = session().anywhere;
      const { id, name } = matchName('sign-in', { wanted, found: await listSessions(client), namedOf });
      await client.request('DELETE /auth/sessions/{sessionId}', { params: { sessionId: id } });
      output.result({ id, revoked: true }, id, `Ended ${name ?? 'the sign-in'} (${id})`);
    }),
  );

  defineCommand(group, {
    name: 'revoke-all',
    summary: summaryOf('POST /auth/sessions/revoke-all'),
    examples: ['bms sessions revoke-all', 'bms sessions revoke-all --no-except-current --yes'],
  })
    .option('--no-except-current', 'end this one, too')
    .option('-y, --yes', 'do not ask')
    .action(
      action(async (context, { exceptCurrent, yes }: RevokeAllOptions) => {
        const question = exceptCurrent ? 'End all your other sign-ins?' : 'End all your sign-ins, including this one?';
        if (!yes && !(await askYesNo(context, question))) throw new CliFailure(exitCodes.failed, 'no sign-in was ended');
        const client = context.session().anywhere;
        const { revoked } = await client.request('POST /auth/sessions/revoke-all', { body: { exceptCurrent } });
        context.output.result({ revoked }, String(revoked), `Ended ${formatCounted(revoked, 'sign-in')}`);
      }),
    );
};

const namedOf = ({ id, name }: Session) => ({ id, names: name === null ? [] : [name] });

const listSessions = (client: Client): Promise<readonly Session[]> =>
  collectAll(client.list('GET /auth/sessions', { query: { limit: 100 } }));
