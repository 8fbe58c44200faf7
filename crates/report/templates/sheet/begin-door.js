const sayAtDoor = (words) => { document.getElementById("door").textContent = words; };
addEventListener("hashchange", () => openByLink(sayAtDoor));
openByLink(sayAtDoor);
