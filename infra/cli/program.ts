/** The whole command line. */
import { type Argument, Command, CommanderError } from 'commander';
import { buildVersion } from './base/build-version.ts';
import { addGlobalOptions, addUsage, pathOf } from './base/define-command.ts';
import type { Environment } from './base/environment.ts';
import { addAccountCommands } from './commands/account-commands.ts';
import { addAlertCommands } from './commands/alert/alert-commands.ts';
import { addIncidentCommands } from './commands/alert/incident-commands.ts';
import { addApiCommand } from './commands/api-command.ts';
import { addArchiveCommand } from './commands/archive-command.ts';
import { addAuditCommand } from './commands/audit-command.ts';
import { addBackupCommands } from './commands/backup/backup-commands.ts';
import { addCompletionCommand } from './commands/completion-command.ts';
import { addConfigCommands } from './commands/config-commands.ts';
import { addDeployCommand } from './commands/deploy/deploy-command.ts';
import { addErasureCommands } from './commands/erasure-commands.ts';
import { addExportCommands } from './commands/export-commands.ts';
import { addFindCommand } from './commands/find-command.ts';
import { addHelpCommand } from './commands/help-command.ts';
import { addHistoryCommand } from './commands/history-command.ts';
import { addLoginCommand } from './commands/login-command.ts';
import { addLogsCommand } from './commands/logs-command.ts';
import { addOpenCommand } from './commands/open-command.ts';
import { addApiKeyCommands } from './commands/organization/api-key-commands.ts';
import { addInviteCommands } from './commands/organization/invite-commands.ts';
import { addMemberCommands } from './commands/organization/member-commands.ts';
import { addOrganizationCommands } from './commands/organization/organization-commands.ts';
import { addServiceAccountCommands } from './commands/organization/service-account-commands.ts';
import { addPitrCommands } from './commands/pitr-commands.ts';
import { addProjectCommands } from './commands/project-commands.ts';
import { addPullCommand } from './commands/pull-command.ts';
import { addReportCommand } from './commands/report-command.ts';
import { addRestoreCommands } from './commands/restore/restore-commands.ts';
import { addRestoreTestCommands } from './commands/restore-test/restore-test-commands.ts';
import { addScheduleCommands } from './commands/schedule/schedule-commands.ts';
import { addSearchCommand } from './commands/search-command.ts';
import { addSessionCommands } from './commands/session-commands.ts';
import { addSmokeCommand } from './commands/smoke-command.ts';
import { addStatusCommand } from './commands/status-command.ts';
import { addStorageCommands } from './commands/storage-commands.ts';
import { addUseCommand } from './commands/use-command.ts';
import { addWatchCommand } from './commands/watch/watch-command.ts';
import { addWebhookCommands } from './commands/webhook/webhook-commands.ts';
import { actionsOf } from './context/context.ts';
import { addMcpCommand } from './mcp/mcp-command.ts';
import { type ContractTexts, fillTexts } from './texts/contract-text.ts';

const description = `Backs up Firestore projects and restores them down to one document.

Resources can be named by id, by name, or by the unique beginning of either;
"latest" is the newest completed backup.`;

const notes = `
Environment:
  BMS_PROFILE        a stored sign-in (bms use)
  BMS_URL            address of the service, such as https://backups.example.com
  BMS_API_KEY        an API key (bms keys); or BMS_TOKEN, an access token
  BMS_ORGANIZATION   id, name or slug of the organization
  BMS_INSECURE       1 allows http:// for other hosts than this one

Exit codes: 0 success; 1 refused, or the job did not complete; 2 bad input;
  3 not signed in or not permitted; 4 not found; 5 service unreachable;
  130 interrupted

Examples:
  $ bms login --url https://backups.example.com
  $ bms backup create --project shop --watch
  $ bms backup cat latest users/ada
  $ bms restore --backup latest --collections users --plan`;

/** In the order of the help. */
const groups = [
  addLoginCommand,
  addAccountCommands,
  addSessionCommands,
  addOrganizationCommands,
  addMemberCommands,
  addInviteCommands,
  addApiKeyCommands,
  addServiceAccountCommands,
  addUseCommand,
  addStatusCommand,
  addWatchCommand,
  addLogsCommand,
  addProjectCommands,
  addStorageCommands,
  addBackupCommands,
  addFindCommand,
  addSearchCommand,
  addConfigCommands,
  addHistoryCommand,
  addOpenCommand,
  addPullCommand,
  addRestoreCommands,
  addExportCommands,
  addScheduleCommands,
  addPitrCommands,
  addErasureCommands,
  addRestoreTestCommands,
  addIncidentCommands,
  addAlertCommands,
  addWebhookCommands,
  addAuditCommand,
  addReportCommand,
  addArchiveCommand,
  addDeployCommand,
  addSmokeCommand,
  addApiCommand,
  addMcpCommand,
  addCompletionCommand,
  addHelpCommand,
];

/** Without texts, help and completion have references in their place. */
export const createProgram = (environment: Environment, texts?: ContractTexts): Command => {
  const { stdout } = environment;
  const program = new Command('bms')
    .description(description)
    .version(buildVersion, '-V, --version', 'print the version')
    .enablePositionalOptions()
    .exitOverride()
    // The caller reports errors, in one line.
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: () => undefined,
      outputError: () => undefined,
      getOutHelpWidth: () => (stdout.isTTY ? stdout.columns : 80),
      getErrHelpWidth: () => 80,
    })
    .configureHelp({ subcommandTerm: (command) => [command.name(), ...command.registeredArguments.map(argumentTerm)].join(' ') })
    .addHelpText('beforeAll', ({ error, command }) => {
      // The parser would print the help as an error.
      if (error) command.error(`a command is missing; see ${pathOf(command)} --help`);
      return '';
    })
    .addHelpText('after', notes);
  const action = actionsOf(environment);
  for (const add of groups) add(program, action);
  addGlobalOptions(program);
  addUsage(program);
  if (texts) fillTexts(program, texts);
  return program;
};

const argumentTerm = (argument: Argument): string => {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? `<${name}>` : `[${name}]`;
};

/** The message of a parser error in one line, without values that may be secrets; undefined if help or the version was printed. */
export const parserMessage = ({ message, exitCode }: CommanderError): string | undefined => {
  if (exitCode === 0) return undefined;
  return message
    .replace(/^error: /, '')
    .replace(/'(--[\w-]+)=[^']*'/, "'$1'")
    .replace(/\s*\n\s*/g, ' ');
};

export { CommanderError };
