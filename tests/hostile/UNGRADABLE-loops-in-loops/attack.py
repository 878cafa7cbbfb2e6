"""Thirty loops inside each other; the compiler allows twenty."""

def answer(n):
    return n


while 1:
 while 1:
  while 1:
   while 1:
    while 1:
     while 1:
      while 1:
       while 1:
        while 1:
         while 1:
          while 1:
           while 1:
            while 1:
             while 1:
              while 1:
               while 1:
                while 1:
                 while 1:
                  while 1:
                   while 1:
                    while 1:
                     while 1:
                      while 1:
                       while 1:
                        while 1:
                         while 1:
                          while 1:
                           while 1:
                            while 1:
                             while 1:
                              pass
def double(n):
    return 2 * n
