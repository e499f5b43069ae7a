"""Other people's packages beside Octavo, each in a module of its own that imports it when it is used."""
