import type { ReleasedSchema } from '../../../../shared/contract/schema-refusal.ts';
import { type Account, NoRegionError, openAccount } from '../../../deploy/open-account.ts';
import { openRelease, type Release, ReleaseError } from '../../../deploy/open-release.ts';
import {
  discardPlan,
  ensureBucket,
  findStack,
  type ParameterValues,
  planDeployment,
  publishRelease,
  releasedParameters,
  releasedSchema,
  usualBucket,
} from '../../../deploy/release-stack.ts';
import { launchLink } from '../../../deploy/template-address.ts';
import { runPreflight } from '../../../preflight/run-preflight.ts';
import { badInput, CliFailure } from '../../base/cli-failure.ts';
import { exitCodes } from '../../base/exit-codes.ts';
import type { Context } from '../../context/context.ts';
import { askYesNo } from '../../output/ask.ts';
import { changeLines, changeSummary } from './change-view.ts';
import { checkDeployOptions, type DeployOptions, readSet, settingOf } from './deploy-options.ts';
import { destroyStack } from './destroy-stack.ts';
import { followChange } from './follow-change.ts';
import { runSmoke } from './run-smoke.ts';

const assetPrefix = 'backup-management-service/';

export const runDeploy = async (context: Context, options: DeployOptions): Promise<void> => {
  checkDeployOptions(options);
  try {
    const account = await signIn(context, options);
    if (options.destroy) return await destroyStack(context, account, options);
    const release = await openRelease(options.from ?? '', context.signal);
    await deployRelease(context, account, { options, release });
  } catch (error) {
    if (error instanceof ReleaseError) throw badInput(error.message, error);
    throw error;
  }
};

/** The SDK and the preflight read profile and region from the environment. */
const signIn = async (
  { signal, output, environment: { env } }: Context,
  { profile, region }: DeployOptions,
): Promise<Account> => {
  if (profile !== undefined) process.env.AWS_PROFILE = profile;
  if (region !== undefined) process.env.AWS_REGION = region;
  const account = await openAccount({ profile, env, signal }).catch((error: Error) => {
    if (error instanceof NoRegionError) throw badInput('no region: add --region, or set one in the profile of the AWS CLI');
    const advice = 'sign in, or choose another --profile';
    throw new CliFailure(exitCodes.denied, `AWS does not accept the credentials (${error.message}); ${advice}`, { cause: error });
  });
  output.note(`account ${account.account} in ${account.region}, as ${account.caller}`);
  return account;
};

interface Deployment {
  readonly options: DeployOptions;
  readonly release: Release;
}

const deployRelease = async (context: Context, account: Account, { options, release }: Deployment): Promise<void> => {
  const { output, signal } = context;
  const { client, s3, region } = account;
  const { name } = options;
  const known = await releasedParameters(release);
  const existing = await findStack(client, name);
  const isNew = existing === undefined || existing.status === 'REVIEW_IN_PROGRESS';
  if (existing?.status === 'ROLLBACK_COMPLETE')
    throw new CliFailure(
      exitCodes.failed,
      `the first deployment of ${name} failed; remove what is left of it with bms deploy --destroy --name ${name}`,
    );
  const bucket = options.bucket ?? usualBucket(account.account, region);
  // Parameters that a release no longer has are dropped.
  const kept = Object.entries(isNew ? {} : existing.parameters).filter(([parameter]) => parameter in known);
  const parameters: ParameterValues = {
    ...Object.fromEntries(kept),
    ...readSet(options.set, known),
    AssetBucket: bucket,
    AssetPrefix: assetPrefix,
  };
  const missing = Object.keys(known).filter((each) => known[each]?.Default === undefined && !(each in parameters));
  if (missing.length > 0 && !options.templateOnly)
    throw badInput(missing.map((each) => `--set ${settingOf(each)}=… is required: ${known[each]?.Description}`).join('; '));
  if (!options.skipPreflight && !options.diff && !options.templateOnly)
    await preflight(context, { parameters, name, schema: await releasedSchema(release) });
  const owner = options.bucketOwner ?? account.account;
  if (await ensureBucket(s3, { bucket, owner, region }))
    output.note(`created the private bucket ${bucket} for the files of releases; it stays when the deployment is removed`);
  const templateUrl = await publishRelease({
    release,
    client: s3,
    bucket,
    owner,
    prefix: assetPrefix,
    region,
    onFile: (done, of) => output.progress(`\r\u001b[Kuploading ${done} of ${of} files`),
  });
  output.progress('\r\u001b[K');
  if (options.templateOnly) {
    const launch = launchLink({ region, templateUrl, stackName: name, parameters });
    if (output.isJson) return output.json({ templateUrl, launch });
    return output.details([
      ['template', templateUrl],
      ['launch', launch],
    ]);
  }
  const planned = await planDeployment(client, { name, templateUrl, parameters, isNew, signal });
  if (planned.changes === undefined || options.diff) await discardPlan(client, planned, isNew);
  if (planned.changes === undefined) return output.result({ changes: [] }, name, `${name} is up to date`);
  const { changes } = planned;
  if (output.isJson && options.diff) return output.json({ changes });
  for (const line of changeLines(changes)) output.note(line);
  if (options.diff) return output.result({ changes }, name, changeSummary(name, changes, 'would be'));
  output.note(changeSummary(name, changes, 'will be'));
  if (!options.yes && !(await askYesNo(context, `Deploy ${name} into account ${account.account}, ${region}?`))) {
    await discardPlan(client, planned, isNew);
    throw new CliFailure(exitCodes.failed, 'nothing was deployed');
  }
  const { status, outputs } = await followChange(context, client, {
    stackId: planned.stackId,
    count: changes.length,
    start: () => client.call('ExecuteChangeSet', { ChangeSetName: planned.changeSetId }),
    isDone: /^(CREATE|UPDATE)_COMPLETE$/,
    failed: (last) => `the deployment failed and was taken back (${last})`,
  });
  await client.call('UpdateTerminationProtection', { StackName: planned.stackId, EnableTerminationProtection: true });
  const steps = Object.keys(outputs)
    .filter((key) => key.startsWith('NextStep'))
    .sort();
  if (output.isJson) output.json({ stackId: planned.stackId, status, outputs });
  else output.line(`${name} is deployed at ${outputs.ApiUrl}; its dashboard: ${outputs.Dashboard}`);
  if (isNew) {
    output.note('Next steps, once and in this order:');
    for (const [n, step] of steps.entries()) output.note(`  ${n + 1}. ${outputs[step]}`);
  }
  // The target of the record is known only now.
  const domain = parameters.DomainName ?? '';
  if (domain !== '' && domain !== existing?.parameters.DomainName)
    return output.note(`no smoke test yet: point ${domain} at ${outputs.DomainTarget}, then run bms smoke ${outputs.ApiUrl}`);
  await runSmoke(context, outputs.ApiUrl ?? '');
};

interface Checked {
  readonly parameters: ParameterValues;
  readonly name: string;
  readonly schema: ReleasedSchema;
}

const preflight = async ({ output }: Context, { parameters, name, schema }: Checked): Promise<void> => {
  const given = Object.entries(parameters).filter(([each]) => !each.startsWith('Asset'));
  const settings = { stackName: name, ...Object.fromEntries(given.map(([each, value]) => [settingOf(each), value])) };
  const exitCode = await runPreflight(settings, (line) => output.note(line), { schema });
  if (exitCode !== 0)
    throw new CliFailure(
      exitCodes.failed,
      'the preflight found something to do (lines that begin with do or unknown); --skip-preflight deploys nevertheless',
    );
};
