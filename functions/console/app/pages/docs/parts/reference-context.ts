import { createContext, useContext } from 'react';
import type { Reference } from '../model/read-reference.ts';

export const ReferenceContext = createContext<Reference | undefined>(undefined);

export const useReference = (): Reference => {
  const reference = useContext(ReferenceContext);
  if (!reference) throw new Error('this part of the docs must be inside of their frame');
  return reference;
};
