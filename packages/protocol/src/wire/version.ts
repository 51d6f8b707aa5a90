/** Protocol versions between processes. A server supports HostLink N and N−1 (H10). */
export const HOST_LINK_VERSION = 1;
export const HOST_LINK_OLDEST = 1;
/** Version of the frames and deck messages between page and server. */
export const PAGE_VERSION = 1;
/** Version of the link between a deck and another machine; N and N−1 work together (N14). */
export const LINK_VERSION = 1;
export const LINK_OLDEST = 1;
