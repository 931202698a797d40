/** Whether the address of a document names its Google Cloud project, so that no other is needed to find it. */
export const namesGoogleProject = (address: string): boolean =>
  /^(https?:|\/\/|console\.|projects\/[^/]+\/databases\/)/.test(address.trim());
