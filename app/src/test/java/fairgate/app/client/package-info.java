/// Tests of the package of the same name.
@NullMarked
package fairgate.app.client;

import org.jspecify.annotations.NullMarked;
