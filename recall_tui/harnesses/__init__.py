"""How each agent program writes its sessions: one package a harness, one Protocol, one registry."""
