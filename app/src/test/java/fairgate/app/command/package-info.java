/// Tests of the commands.
@NullMarked
package fairgate.app.command;

import org.jspecify.annotations.NullMarked;
