/** Changes the stored sign-ins: their credentials and their organization. */
import { badInput } from '../base/cli-failure.ts';
import { forgetValues } from '../completion/complete-values.ts';
import type { Profile } from '../config/config-file.ts';
import { openSession } from '../config/open-session.ts';
import { isOwnOrganization } from '../config/settings.ts';
import type { Context } from './context.ts';

/** Replaces the credentials and the organization of the profile, and makes it the current one. */
export const storeProfile = async (context: Context, profile: Profile): Promise<void> => {
  const { url, profile: name } = context.settings();
  const stored = { ...profile, ...(name !== url && { url }) };
  await context.config.update((config) => ({ ...config, current: name, profiles: { ...config.profiles, [name]: stored } }));
  forgetValues(context.environment.env);
};

/** Makes it the organization of the profile. False if the command runs with credentials of the environment, and the profile has others. */
export const chooseOrganization = async (context: Context, organizationId: string | undefined): Promise<boolean> => {
  const { profile, credentials } = context.settings();
  if (!isOwnOrganization(context.config.read().profiles[profile], credentials)) return false;
  await context.config.update((config) => ({
    ...config,
    profiles: { ...config.profiles, [profile]: { ...config.profiles[profile], organizationId } },
  }));
  forgetValues(context.environment.env);
  return true;
};

/** Of a command whose only purpose is the choice. */
export const mustChooseOrganization = async (context: Context, organizationId: string): Promise<void> => {
  if (await chooseOrganization(context, organizationId)) return;
  throw badInput(
    `the credentials of the environment are not those of the stored sign-in; set BMS_ORGANIZATION=${organizationId}`,
  );
};

/** The organization to use from now on: the only one, or that of --organization. Undefined: the user chooses later. */
export const chooseAfterLogin = async (context: Context): Promise<string | undefined> => {
  const organizationId = await openSession(context.settings(), context.config).organizationId();
  if (organizationId === undefined) return undefined;
  await chooseOrganization(context, organizationId);
  return organizationId;
};
