/*
 * devices.h - a /dev of the command's own where we are root.  bubblewrap shows the machine's
 * devices, and root owns them: from within, their modes could be changed for all.
 */
#ifndef EXEC_DEVICES_H
#define EXEC_DEVICES_H

/* In a child: from now on, for it and all that it starts, /dev is a read-only file system
 * with new nodes for null, zero, full, random, urandom and tty.  1; 0 where we are not root
 * or may not make them: nothing has changed then. */
int devices_make(void);

#endif
