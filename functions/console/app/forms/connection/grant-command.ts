/** The command that grants an account a role on a Google Cloud project. */
export const grantCommand = (project: string, account: string, role: string): string => {
  // The principal of a workload identity is a member itself.
  if (account.startsWith('principal://'))
    return `gcloud projects add-iam-policy-binding ${project} --member="${account}" --role=${role} --condition=None`;
  const kind = account.endsWith('.gserviceaccount.com') ? 'serviceAccount' : 'user';
  return `gcloud projects add-iam-policy-binding ${project} --member=${kind}:${account} --role=${role}`;
};
