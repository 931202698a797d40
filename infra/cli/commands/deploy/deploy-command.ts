/** `bms deploy`: puts a release into an AWS account, and removes it. */
import type { Command } from 'commander';
import { usualDeploymentName } from '../../../part/usual-deployment-name.ts';
import { defineCommand } from '../../base/define-command.ts';
import { parseEach } from '../../base/parse-values.ts';
import type { Action } from '../../context/context.ts';
import type { DeployOptions } from './deploy-options.ts';

const description = `The release is what npm run release builds, in a folder or at an https address; the digests of its files are checked. The command runs the preflight, uploads the release to a private bucket of the account, which it creates once, shows what CloudFormation would change, asks, deploys, and ends with the next steps and the smoke test. The same command updates a deployment: settings that are not given keep their values.

--profile and --region are those of the AWS CLI. The stored sign-ins of bms play no part in it.`;

export const addDeployCommand = (program: Command, action: Action): void => {
  defineCommand(program, {
    name: 'deploy',
    summary: 'Deploy a release of the service into an AWS account',
    description,
    examples: [
      'bms deploy --from ./dist --profile acme --region eu-central-1 --set identityClientId=123.apps.googleusercontent.com',
      'bms deploy --from https://releases.example.com/2.1.0 --profile acme --diff',
      'bms deploy --profile acme --destroy',
    ],
  })
    .option('--from <release>', 'folder or https address of a release')
    .option('--set <setting=value>', 'a setting, such as identityClientId or alarmEmail; repeatable', parseEach, [])
    .option('--name <name>', 'name of the stack and of the deployment', usualDeploymentName)
    .option('--diff', 'show what would change, and deploy nothing; CloudFormation reads the release from the bucket')
    .option('--template-only', 'upload the release and print the link that launches it')
    .option('--destroy', 'remove the deployment; says what stays, and why')
    .option('--bucket <bucket>', 'bucket for the files (default: bms-release-<account>-<region>, created if it is missing)')
    .option('--bucket-owner <account>', 'the account of the bucket (default: that of the deployment); another one is refused')
    .option('--skip-preflight', 'do not check account, region and settings before')
    .option('-y, --yes', 'do not ask')
    .option('--profile <name>', 'a profile of the AWS CLI (AWS_PROFILE)')
    .option('--region <region>', 'an AWS region (AWS_REGION)')
    .action(
      action<DeployOptions>(async (context, options) => {
        // Loaded only here: it brings the clients of AWS.
        const { runDeploy } = await import('./run-deploy.ts');
        await runDeploy(context, options);
      }),
    );
};
