import { useParams } from '@tanstack/react-router';

/** A parameter of the page's address. */
export const useParam = (name: string): string => {
  const value = (useParams({ strict: false }) as Record<string, string | undefined>)[name];
  if (value === undefined) throw new Error(`the address of this page has no parameter ${name}`);
  return value;
};
