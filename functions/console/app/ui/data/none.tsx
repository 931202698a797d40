/** A cell without a value. A card on a small screen omits it. */
export const None = () => <span className="muted table__none">–</span>;
