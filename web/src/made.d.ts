declare module "*.css";

// Whether the script is made for shared files, which bear their answers within, and not for a server's page.
declare const SHARED: boolean;
