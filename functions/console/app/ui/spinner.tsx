export const Spinner = ({ label }: { readonly label?: string }) => (
  <span className="spinner" {...(label === undefined ? { 'aria-hidden': true } : { role: 'status', 'aria-label': label })} />
);
