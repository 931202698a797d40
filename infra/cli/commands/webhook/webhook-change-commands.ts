/** `bms webhook update|delete`. */
import type { Command } from 'commander';
import { type ChoiceOf, webhookFormats } from '../../base/choices.ts';
import { badInput, CliFailure, refuseIfUnchanged } from '../../base/cli-failure.ts';
import { defineCommand } from '../../base/define-command.ts';
import { exitCodes } from '../../base/exit-codes.ts';
import { choiceOption, parseNames } from '../../base/parse-values.ts';
import type { Action } from '../../context/context.ts';
import { findProjectIds, findWebhookId } from '../../context/find-resource.ts';
import { askYesNo, readSecret } from '../../output/ask.ts';

interface UpdateOptions {
  readonly name?: string | undefined;
  readonly url?: string | undefined;
  readonly events?: readonly string[] | undefined;
  readonly secret?: true | undefined;
  readonly format?: ChoiceOf<typeof webhookFormats> | undefined;
  readonly projects?: readonly string[] | undefined;
  readonly allProjects?: true | undefined;
}

export const addWebhookChangeCommands = (group: Command, action: Action): void => {
  defineCommand(group, {
    name: 'update <webhook>',
    summary: 'Change a webhook; only the given options change',
    description: '--url is the address of the webhook; that of the service precedes the command: bms --url … webhook update.',
    examples: [
      'bms webhook update Ops --events "backup.*,restore.failed"',
      'bms webhook update Ops --url https://example.com/new-hook',
      'bms webhook update Ops --all-projects',
    ],
  })
    .option('--name <name>', 'a new name')
    .option('--url <url>', 'the HTTPS address that receives the events')
    .option('--events <names>', 'events such as backup.failed or backup.*, separated by commas', parseNames)
    .option('--secret', 'use your own secret: typed on the terminal, or the first line of stdin')
    .option('--projects <projects>', 'only events of these, separated by commas', parseNames)
    .option('--all-projects', 'events of all projects')
    .addOption(choiceOption('--format <format>', 'of the body', webhookFormats))
    .action(
      action(async (context, options: UpdateOptions, wanted = '') => {
        const { name, url, events, format, projects, allProjects } = options;
        if (projects && allProjects) throw badInput('--projects and --all-projects exclude each other');
        refuseIfUnchanged({ name, url, events, format, projects, allProjects, secret: options.secret });
        const client = await context.client();
        const webhookId = await findWebhookId(client, wanted);
        const chosen = allProjects ? [] : projects && (await findProjectIds(client, projects));
        const secret = options.secret ? await readSecret(context, 'Secret: ') : undefined;
        const body = { name, url, events, format, secret, filters: chosen && { projects: chosen } };
        const webhook = await client.request('PATCH /webhooks/{webhookId}', { params: { webhookId }, body });
        context.output.result(webhook, webhookId, `Updated ${webhook.name} (${webhookId})`);
      }),
    );

  defineCommand(group, {
    name: 'delete <webhook>',
    aliases: ['rm'],
    summary: 'Delete a webhook',
    examples: ['bms webhook delete Ops --yes'],
  })
    .option('-y, --yes', 'do not ask')
    .action(
      action(async (context, { yes }: { readonly yes?: boolean }, wanted = '') => {
        const client = await context.client();
        const webhookId = await findWebhookId(client, wanted);
        if (!yes && !(await askYesNo(context, `Delete webhook ${webhookId}?`)))
          throw new CliFailure(exitCodes.failed, 'nothing was deleted');
        const result = await client.request('DELETE /webhooks/{webhookId}', { params: { webhookId } });
        context.output.result(result, webhookId, `Deleted webhook ${webhookId}`);
      }),
    );
};
