import { type UseMutateFunction, type UseMutationOptions, type UseMutationResult, useMutation } from '@tanstack/react-query';
import { useCallback, useRef } from 'react';

type Options<T, V> = UseMutationOptions<T, Error, V> & { readonly mutationFn: (input: V) => Promise<T> };

/** A mutation that ignores the input it already runs with: a double click can be faster than its button shows that it is busy. */
export const useSingleMutation = <T, V = void>({ mutationFn, ...options }: Options<T, V>): UseMutationResult<T, Error, V> => {
  const running = useRef(new Set<string>());
  const mutation = useMutation<T, Error, V>({
    ...options,
    mutationFn: (input) => mutationFn(input).finally(() => running.current.delete(keyOf(input))),
  });
  const start = mutation.mutate;
  const mutate: UseMutateFunction<T, Error, V> = useCallback(
    (...args) => {
      const key = keyOf(args[0]);
      if (running.current.has(key)) return;
      running.current.add(key);
      start(...args);
    },
    [start],
  );
  return { ...mutation, mutate };
};

const keyOf = (input: unknown): string => JSON.stringify(input) ?? '';
