class Akari:
    def __init__(self,rijen,kolommen,bestand):
        self.rijen=rijen
        self.kolommen=kolommen
        self.lampen=set()
        self.zwarte_cellen={}
        with open(bestand) as b:
            for lijn in b.readlines():
                a=lijn.split()
                if a!=[]:
                    self.zwarte_cellen[(int(a[0]),int(a[1]))]=a[2]

    def stralen(self,r,k):
        s=set()
        for i in range(k+1,self.kolommen):
            if (r,i) in self.zwarte_cellen: break
            s.add((r,i))
        for i in range(k-1,-1,-1):
            if (r,i) in self.zwarte_cellen: break
            s.add((r,i))
        for i in range(r+1,self.rijen):
            if (i,k) in self.zwarte_cellen: break
            s.add((i,k))
        for i in range(r-1,-1,-1):
            if (i,k) in self.zwarte_cellen: break
            s.add((i,k))
        return s

    def verlicht(self):
        s=set()
        for (r,k) in self.lampen:
            s=s.union(self.stralen(r,k))
        return s

    def plaats_lamp(self,r,k):
        self.lampen.add((r,k))     # fouten nog opvangen

    def verwijder_lamp(self,r,k):
        pass

    def __str__(self):
        rooster=''
        for i in range(self.rijen):
            for j in range(self.kolommen):
                if (i,j) in self.zwarte_cellen:
                    rooster+=self.zwarte_cellen[(i,j)]
                elif (i,j) in self.lampen:
                    rooster+='L'
                elif (i,j) in self.verlicht():
                    rooster+='*'
                else:
                    rooster+='_'
            rooster+='\n'
        return rooster
