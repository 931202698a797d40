/** The method of an endpoint. The word carries the meaning; the colour only supports it. */
export const Method = ({ method }: { readonly method: string }) => (
  <span className={`docs-method docs-method--${method.toLowerCase()}`}>{method}</span>
);
