// Starts loom-lsp-server when the first .loom file is opened.
const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

exports.activate = () => {
  const command = workspace.getConfiguration("loom").get("server.path");
  client = new LanguageClient("loom", "Loom", { command }, { documentSelector: [{ language: "loom" }] });
  return client.start();
};

exports.deactivate = () => client?.stop();
