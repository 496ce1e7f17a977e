// The page's beginning in front of a server.

import { begin } from "./main.js";

const address = new URL("ws", document.baseURI.replace(/^http/, "ws"));
begin({ dial: () => new WebSocket(address) });
